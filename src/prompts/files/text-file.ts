import { FileProblem } from '../../front-matter.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Decodes UTF-8 text and removes a byte order mark. Line breaks stay as they are. Throws if the bytes are not valid UTF-8. */
export function decodeText(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FileProblem('the file is not UTF-8 text', 1);
  }
}
