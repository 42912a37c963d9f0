import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { nextPage, pageArguments, pageOf } from '../../paging.ts';
import { openRegularFile } from '../../regular-file.ts';
import { defineTool, hints } from '../../tool.ts';

const maxPreview = 4096;
/** Enough for the text of a message, but not for a large attachment after it. */
const maxBytes = 64 * 1024;
/** Files to read for a page whose length is not given. */
const maxPreviews = 20;

/** Lists the outbox: the messages of channels without a configured provider. */
export function outboxTool(folder: string) {
  return defineTool({
    name: 'list_outbox',
    toolsets: ['notifications'],
    scope: 'calendar:*',
    title: 'List Outbox',
    description:
      'Lists messages written to the outbox folder because their channel is not configured, newest first.',
    searchHint: 'unsent mail messages',
    phrases:
      'outbox messages written instead of being sent unsent undelivered mails emails letters files never left waiting to go out piled up stuck not gone held back queue no mail server set folder post undispatched pending texts remained lying around would have been',
    inputSchema: {
      type: 'object',
      properties: pageArguments,
    },
    outputSchema: {
      type: 'object',
      required: ['folder', 'messages', 'count'],
      properties: {
        folder: { type: 'string' },
        count: { type: 'integer' },
        ...nextPage,
        messages: {
          type: 'array',
          items: {
            type: 'object',
            required: ['file', 'written_at', 'bytes'],
            properties: {
              file: { type: 'string' },
              written_at: { type: 'string' },
              bytes: { type: 'integer' },
              subject: { type: 'string' },
              to: { type: 'string' },
              preview: { type: 'string' },
            },
          },
        },
      },
    },
    annotations: hints.reads,
    async call({ limit, cursor = '0' }) {
      const files = (await names(folder)).filter((name) => !name.endsWith('.part'));
      const stats = await Promise.all(
        files.map(async (file) => ({
          file,
          stat: await disk.stat(join(folder, file)).catch(() => undefined),
        })),
      );
      const newest = stats
        .flatMap(({ file, stat }) => (stat?.isFile() ? [{ file, stat }] : []))
        .sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs);
      const start = Number(cursor);
      const read = await Promise.all(
        newest.slice(start, start + (limit ?? maxPreviews)).map(async ({ file, stat }) => ({
          file,
          written_at: stat.mtime.toISOString(),
          bytes: stat.size,
          ...(!file.endsWith('.wav') && (await readMessage(join(folder, file)))),
        })),
      );
      const { items: messages } = pageOf(read, (message) => message, { limit });
      const end = start + messages.length;
      const next = end < newest.length && { next_cursor: String(end) };
      return { structured: { folder, messages, count: newest.length, ...next } };
    },
  });
}

async function names(folder: string): Promise<readonly string[]> {
  try {
    return await disk.readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new Failure('unavailable', `The outbox ${folder} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

interface Readable {
  readonly subject?: string;
  readonly to?: string;
  readonly preview: string;
}

/** Reads a message as its recipient would see it. A file in another format is returned as it is. */
async function readMessage(path: string): Promise<Readable> {
  const content = await beginning(path);
  const whole = content.toString('utf8');
  if (path.endsWith('.eml')) {
    const { default: PostalMime } = await import('postal-mime');
    const { subject, to = [], text } = await PostalMime.parse(content);
    const names = to.map(({ name, address }) => (name ? `${name} <${address}>` : address));
    return readable(subject, names.join(', '), text ?? whole);
  }
  if (!path.endsWith('.json')) return readable(undefined, undefined, whole);
  try {
    const { subject, to, text } = JSON.parse(whole);
    return readable(subject, [to].flat().join(', '), typeof text === 'string' ? text : whole);
  } catch {
    return readable(undefined, undefined, whole);
  }
}

function readable(subject: unknown, to: string | undefined, text: string): Readable {
  return {
    ...(typeof subject === 'string' && { subject }),
    ...(to && { to }),
    preview: text.slice(0, maxPreview),
  };
}

async function beginning(path: string): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
