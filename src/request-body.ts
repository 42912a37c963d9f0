import type { IncomingMessage } from 'node:http';

/**
 * Reads the body of a request. Returns `undefined` if it is longer than the limit. The rest is read and dropped, so that the client
 * gets an answer; the connection ends only if the body is sixteen times as long. Uses events, because an async iterator costs as much
 * as a small request.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = () =>
      resolve(size > limit ? undefined : chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else chunks.length = 0;
      if (size <= 16 * limit) return;
      request.destroy();
      finish();
    });
    request.on('end', finish);
    request.on('error', reject);
    request.on('close', () => {
      if (!request.complete)
        reject(new Error('The client closed the connection before its request was complete.'));
    });
  });
}

/** More than most replies have. */
const usualReplyLength = 1 << 20;

/** The text of a reply of another server, piece by piece. */
export async function* replyText({ body }: Response): AsyncGenerator<string> {
  yield* body?.pipeThrough(new TextDecoderStream()) ?? [];
}

/** Adds a piece to a part of a reply. Throws if the part becomes too long: a server may send an endless reply. */
export function extended(part: string, piece: string, limit = usualReplyLength): string {
  if (part.length + piece.length > limit) throw new Error(`the reply is longer than ${limit} characters`);
  return part + piece;
}

/** The whole text of a reply of another server. */
export async function readReply(response: Response, limit?: number): Promise<string> {
  let text = '';
  for await (const piece of replyText(response)) text = extended(text, piece, limit);
  return text;
}
