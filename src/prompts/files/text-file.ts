import { FileProblem } from './front-matter.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text of a file: UTF-8 and nothing else, without a byte order mark, lines ended by LF. */
export function decodeText(bytes: Buffer): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}
