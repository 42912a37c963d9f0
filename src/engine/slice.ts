import { createHash } from 'node:crypto';
import type { ResourceContents } from '../content.ts';
import { Failure } from '../failure.ts';

export interface Slice {
  readonly contents: ResourceContents;
  /** Hash of the whole content, not of the slice. */
  readonly hash: string;
}

/** Returns at most `limit` bytes from `offset`, without splitting a character. */
export function sliceContents(contents: ResourceContents, offset = 0, limit?: number): Slice {
  const bytes = 'text' in contents ? Buffer.from(contents.text) : Buffer.from(contents.blob, 'base64');
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (offset === 0 && (limit === undefined || limit >= bytes.length)) return { contents, hash };
  if (!('text' in contents)) {
    const part = bytes.subarray(offset, limit === undefined ? undefined : offset + limit);
    return { contents: { ...contents, blob: part.toString('base64') }, hash };
  }
  const start = characterStart(bytes, Math.min(offset, bytes.length));
  const end =
    limit === undefined ? bytes.length : characterStart(bytes, Math.min(offset + limit, bytes.length));
  if (end <= start && limit !== undefined && start < bytes.length) {
    throw new Failure(
      'invalid-params',
      `The limit of ${limit} bytes is smaller than the character at offset ${start}.`,
    );
  }
  return { contents: { ...contents, text: bytes.toString('utf8', start, end) }, hash };
}

/** Moves a position inside a character to the character's first byte, so that consecutive slices join without a gap. */
function characterStart(bytes: Buffer, position: number): number {
  let start = position;
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
