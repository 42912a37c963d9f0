import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { openRegularFile } from '../../regular-file.ts';
import { defineTool } from '../../tool.ts';

const previewBytes = 4096;

/** Lists the outbox: the messages of channels without a configured provider. */
export function outboxTool(folder: string) {
  return defineTool({
    name: 'list_outbox',
    title: 'List Outbox',
    description: 'List what was put into the outbox folder instead of being sent, newest first',
    inputSchema: {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 200, default: 20, description: 'Most files to list' },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['folder', 'messages', 'count'],
      properties: {
        folder: { type: 'string' },
        count: { type: 'integer' },
        messages: {
          type: 'array',
          items: {
            type: 'object',
            required: ['file', 'written_at', 'bytes'],
            properties: {
              file: { type: 'string' },
              written_at: { type: 'string' },
              bytes: { type: 'integer' },
              preview: { type: 'string' },
            },
          },
        },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    async call({ limit = 20 }) {
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
      const messages = await Promise.all(
        newest.slice(0, limit).map(async ({ file, stat }) => ({
          file,
          written_at: stat.mtime.toISOString(),
          bytes: stat.size,
          ...(!file.endsWith('.wav') && { preview: await preview(join(folder, file)) }),
        })),
      );
      return { structured: { folder, messages, count: newest.length } };
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

async function preview(path: string): Promise<string> {
  const file = await openRegularFile(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(previewBytes), 0, previewBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
