import { FileProblem } from './front-matter.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 text, removes a byte order mark and converts CRLF to LF. Throws if the bytes are not valid UTF-8. */
export function decodeText(bytes: Buffer): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}
