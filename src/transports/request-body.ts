import type { IncomingMessage } from 'node:http';

/**
 * Reads the body. A body over the limit is still read and discarded, so that the sender gets the reply, but reading stops at
 * 16 times the limit. Uses events, because an async iterator costs as much as a small request.
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
