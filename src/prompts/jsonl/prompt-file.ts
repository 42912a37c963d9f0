import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { FileCache, problemOf } from '../files/file-cache.ts';
import { FileProblem } from '../files/front-matter.ts';
import { decodeText } from '../files/text-file.ts';
import { type PromptRecord, parseRecord, toDefinition } from './record.ts';

/** A JSONL file as it was read: what it holds, and every line that could not be understood. */
export interface PromptFile {
  /** Sorted by name. */
  readonly prompts: readonly PromptDefinition[];
  readonly byName: ReadonlyMap<string, PromptDefinition>;
  readonly problems: readonly Problem[];
}

export const emptyFile: PromptFile = { prompts: [], byName: new Map(), problems: [] };

export function createPromptFileCache(): FileCache<PromptFile> {
  return new FileCache({ parse: parsePromptFile, maxBytes: 1024 * 1024 * 1024 });
}

export function parsePromptFile(bytes: Buffer, file: string, last?: PromptFile): PromptFile {
  const byName = new Map<string, PromptDefinition>();
  const problems: Problem[] = [];
  const lines = linesOf(bytes);
  for (const [index, line] of lines.entries()) {
    let record: PromptRecord | undefined;
    try {
      record = parseRecord(line, index + 1);
      if (record === undefined) continue;
      const first = byName.get(record.name);
      if (first !== undefined)
        throw new FileProblem(`the prompt ${record.name} is already on line ${first.line}`, index + 1);
      byName.set(record.name, toDefinition(record, file, index + 1));
    } catch (error) {
      // Somebody is writing it at this moment: what it held before still counts.
      const cutOff = index === lines.length - 1 && bytes.at(-1) !== 0x0a;
      if (cutOff && last !== undefined) throw error;
      problems.push({ ...problemOf(file, error), ...(record && { prompts: [record.name] }) });
    }
  }
  return { prompts: sorted([...byName.values()]), byName, problems };
}

/** As texts where the whole file is text, which is quicker; line by line where some are not. */
function linesOf(bytes: Buffer): readonly (string | Buffer)[] {
  try {
    const lines = decodeText(bytes).split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  } catch {
    return splitLines(bytes);
  }
}

function sorted(prompts: PromptDefinition[]): readonly PromptDefinition[] {
  const inOrder = prompts.every((prompt, index) => index === 0 || prompts[index - 1]!.name < prompt.name);
  return inOrder ? prompts : prompts.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Without their line feeds. A last line that has none is a line. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}
