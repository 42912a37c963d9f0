import { FileProblem } from './front-matter.ts';

/** The text of a file: UTF-8 and nothing else, without a byte order mark, lines ended by LF. */
export function decodeText(bytes: Buffer): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
  return text.includes('\r') ? text.replaceAll('\r\n', '\n') : text;
}

/** By code point, so that the order is the same on every machine. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
