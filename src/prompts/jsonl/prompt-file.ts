import type { Problem } from '../../feature.ts';
import { FileProblem } from '../../front-matter.ts';
import { Pace } from '../../pace.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { decodeText, FileCache, problemOf } from '../files/file-cache.ts';
import { limitProblems, withoutStacks } from '../files/limit-problems.ts';
import { parseRecord, toDefinition } from './record.ts';

/** The prompts of a JSONL file, with a problem for every invalid line. */
export interface PromptFile {
  /** Sorted by name. */
  readonly prompts: readonly PromptDefinition[];
  readonly byName: ReadonlyMap<string, PromptDefinition>;
  readonly problems: readonly Problem[];
  readonly lines: readonly (string | Buffer)[];
}

export const emptyFile: PromptFile = { prompts: [], byName: new Map(), problems: [], lines: [] };
/** Files up to this size are parsed at once. The others are parsed in slices, so that other requests are served in between. */
const maxBytesAtOnce = 32 * 1024;
const linesPerStep = 32;

export function createPromptFileCache(): FileCache<PromptFile> {
  return new FileCache({
    parse: async (bytes, file, last) => {
      const parsing = parseLines(bytes, file, last);
      return bytes.length > maxBytesAtOnce ? runInSlices(parsing) : runAtOnce(parsing);
    },
    maxBytes: 1024 * 1024 * 1024,
  });
}

export function parsePromptFile(bytes: Buffer, file: string): PromptFile {
  return runAtOnce(parseLines(bytes, file, undefined));
}

type Parsing = Generator<void, PromptFile>;

function runAtOnce(parsing: Parsing): PromptFile {
  return withoutStacks(() => {
    for (;;) {
      const { done, value } = parsing.next();
      if (done) return value;
    }
  });
}

async function runInSlices(parsing: Parsing): Promise<PromptFile> {
  const pace = new Pace();
  for (;;) {
    const { done, value } = withoutStacks(() => parsing.next());
    if (done) return value;
    await pace.pause;
  }
}

/** Yields after every few lines. A prompt whose line has not changed since the last version stays the same object. */
function* parseLines(bytes: Buffer, file: string, last: PromptFile | undefined): Parsing {
  const byName = new Map<string, PromptDefinition>();
  const problems: Problem[] = [];
  const lines = decodeLines(bytes);
  const known = new Map(last?.prompts.map((prompt) => [prompt.line, prompt]));
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    let name: string | undefined;
    try {
      const same = line === last?.lines[index] ? known.get(number) : undefined;
      const record = same === undefined ? parseRecord(line, number) : undefined;
      name = same?.name ?? record?.name;
      if (name === undefined) continue;
      const first = byName.get(name);
      if (first !== undefined)
        throw new FileProblem(`the prompt ${name} is already defined on line ${first.line}`, number);
      byName.set(name, same ?? toDefinition(record!, file, number));
    } catch (error) {
      // Another process is still writing the last line. Throw, so that the cache keeps the last good version.
      const isIncomplete = index === lines.length - 1 && bytes.at(-1) !== 0x0a;
      if (isIncomplete && last !== undefined) throw error;
      problems.push({ ...problemOf(file, error), ...(name !== undefined && { prompts: [name] }) });
    }
    if (number % linesPerStep === 0) yield;
  }
  return { prompts: sortByName([...byName.values()]), byName, problems: limitProblems(problems), lines };
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
