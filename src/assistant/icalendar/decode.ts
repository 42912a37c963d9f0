import { Failure } from '../../failure.ts';

/** Decodes UTF-8, or UTF-16 if the bytes start with its byte order mark. Invalid bytes are replaced. */
export async function* decode(
  bytes: AsyncIterable<Uint8Array>,
  limit?: { readonly maxBytes: number; readonly name: string },
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let read = 0;
  for await (const piece of bytes) {
    read += piece.length;
    if (limit !== undefined && read > limit.maxBytes) throw tooLarge(limit.name, limit.maxBytes);
    decoder ??= new TextDecoder(detectEncoding(piece));
    yield decoder.decode(piece, { stream: true });
  }
  yield decoder?.decode() ?? '';
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

export function tooLarge(name: string, maxBytes: number): Failure {
  const megabytes = Math.round(maxBytes / 1e6);
  return new Failure(
    'refused',
    `${name} is larger than ${megabytes} MB; raise calendars.max_bytes to import it.`,
  );
}
