import type { Problem } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { FileCache, problemOf } from '../files/file-cache.ts';
import { FileProblem } from '../files/front-matter.ts';
import { decodeText } from '../files/text-file.ts';
import { withoutStacks } from '../files/without-stacks.ts';
import { type PromptRecord, parseRecord, toDefinition } from './record.ts';

/** The prompts of a JSONL file, with a problem for every invalid line. */
export interface PromptFile {
  /** Sorted by name. */
  readonly prompts: readonly PromptDefinition[];
  readonly byName: ReadonlyMap<string, PromptDefinition>;
  readonly problems: readonly Problem[];
}

export const emptyFile: PromptFile = { prompts: [], byName: new Map(), problems: [] };

export function createPromptFileCache(): FileCache<PromptFile> {
  return new FileCache({ parse: parsePromptFile, maxBytes: 1024 * 1024 * 1024, oncePerArrival: true });
}

export function parsePromptFile(bytes: Buffer, file: string, last?: PromptFile): PromptFile {
  return withoutStacks(() => parseLines(bytes, file, last));
}

function parseLines(bytes: Buffer, file: string, last: PromptFile | undefined): PromptFile {
  const byName = new Map<string, PromptDefinition>();
  const problems: Problem[] = [];
  const lines = decodeLines(bytes);
  for (const [index, line] of lines.entries()) {
    let record: PromptRecord | undefined;
    try {
      record = parseRecord(line, index + 1);
      if (record === undefined) continue;
      const first = byName.get(record.name);
      if (first !== undefined)
        throw new FileProblem(
          `the prompt ${record.name} is already defined on line ${first.line}`,
          index + 1,
        );
      byName.set(record.name, toDefinition(record, file, index + 1));
    } catch (error) {
      // Another process is still writing the last line. Throw, so that the cache keeps the last good version.
      const isIncomplete = index === lines.length - 1 && bytes.at(-1) !== 0x0a;
      if (isIncomplete && last !== undefined) throw error;
      problems.push({ ...problemOf(file, error), ...(record && { prompts: [record.name] }) });
    }
  }
  return { prompts: sortByName([...byName.values()]), byName, problems };
}

/** Decodes the whole file at once, which is faster. If some bytes are not UTF-8, returns undecoded lines instead. */
function decodeLines(bytes: Buffer): readonly (string | Buffer)[] {
  try {
    const lines = decodeText(bytes).split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines;
  } catch {
    return splitLines(bytes);
  }
}

function sortByName(prompts: PromptDefinition[]): readonly PromptDefinition[] {
  const inOrder = prompts.every((prompt, index) => index === 0 || prompts[index - 1]!.name < prompt.name);
  return inOrder ? prompts : prompts.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Splits at line feeds and drops them. The last line may lack one. */
export function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return lines;
}
