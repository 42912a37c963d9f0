// Measures how often a suitable prompt is among the first three results of everyday queries, over the built-in and test
// prompts, and how often with plain BM25 over the same texts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../src/prompts/catalog/catalog.ts';
import { textOf } from '../src/prompts/catalog/prompt-index.ts';
import { PromptSearch } from '../src/prompts/catalog/search.ts';
import type { PromptDefinition } from '../src/prompts/definition/definition.ts';
import { shownDescription } from '../src/prompts/definition/shown-description.ts';
import { BuiltInSource } from '../src/prompts/jsonl/built-in-source.ts';
import { MountSource } from '../src/prompts/mounts/mount.ts';
import { CommandSource } from '../src/prompts/sources/commands.ts';

interface LabelledQuery {
  readonly query: string;
  /** Names of the suitable prompts, or the ends of names. */
  readonly prompts: readonly string[];
}

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures');
const formats = ['claude-code', 'codex', 'dotprompt', 'fabric', 'gemini', 'vscode'];

/** The queries for which a suitable prompt is among the first results of our search and of plain BM25 over the same texts. */
interface Comparison {
  readonly first: number;
  readonly ours: number;
  readonly plain: number;
}

export async function measureSearch(): Promise<{
  readonly queries: number;
  /** Queries without a suitable prompt among the first three. */
  readonly missed: readonly string[];
  readonly comparisons: readonly Comparison[];
}> {
  const catalog = new Catalog([
    new CommandSource({ folder: join(fixtures, 'homes', 'commands', 'commands') }),
    new CommandSource({ folder: join(fixtures, 'formats', 'commands') }),
    ...formats.map((format) => new MountSource({ format, path: join(fixtures, 'formats', format) })),
    new MountSource({ format: 'claude-skills', path: join(fixtures, 'skills', 'skills') }),
    new BuiltInSource({ folder: join(fixtures, 'search'), seeds: false }),
  ]);
  try {
    const queries = loadQueries(join(fixtures, 'search', 'queries.jsonl'));
    return { queries: queries.length, ...(await compare(catalog, queries)) };
  } finally {
    catalog.close();
  }
}

async function compare(catalog: Catalog, queries: readonly LabelledQuery[]) {
  const search = new PromptSearch(catalog);
  const texts = (await catalog.list()).map(({ definition }) => ({
    name: definition.name,
    words: wordsIn(textsOf(definition)),
  }));
  const missed: string[] = [];
  const comparisons: Comparison[] = [];
  for (const first of [3, 10]) {
    let [ours, plain] = [0, 0];
    for (const { query, prompts } of queries) {
      const { matches } = await search.find(query, () => true, first);
      const names = matches.map(({ entry }) => entry.definition.name);
      if (names.some((name) => isNamed(name, prompts))) ours++;
      else if (first === 3) missed.push(`${query}: ${names.join(', ') || 'nothing found'}`);
      if (plainBm25(query, texts, first).some((name) => isNamed(name, prompts))) plain++;
    }
    comparisons.push({ first, ours, plain });
  }
  await search.close();
  return { missed, comparisons };
}

/** What our search reads of a prompt. */
function textsOf(definition: PromptDefinition): string {
  const { name, title = '', tags } = definition;
  return [name, title, ...tags, shownDescription(definition) ?? '', textOf(definition)].join('\n');
}

function wordsIn(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function loadQueries(file: string): readonly LabelledQuery[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as LabelledQuery);
}

/** Compares the search with plain BM25 in other prompts: `search QUERIES.jsonl MOUNTS.json`. */
async function compareSearch(queryFile: string, mountFile: string): Promise<void> {
  const mounts = JSON.parse(readFileSync(mountFile, 'utf8')) as { format: string; path: string }[];
  const catalog = new Catalog(mounts.map((mount) => new MountSource(mount)));
  const queries = loadQueries(queryFile);
  report((await compare(catalog, queries)).comparisons, queries.length);
  catalog.close();
}

function report(comparisons: readonly Comparison[], queries: number): void {
  for (const { first, ours, plain } of comparisons)
    console.log(`first ${first}: ${ours} of ${queries}, plain BM25 ${plain}`);
}

function isNamed(name: string, names: readonly string[]): boolean {
  return names.some((one) => name === one || name.endsWith(`:${one}`));
}

function plainBm25(
  query: string,
  texts: readonly { readonly name: string; readonly words: readonly string[] }[],
  first: number,
): readonly string[] {
  const asked = [...new Set(wordsIn(query))];
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const counts = texts.map(({ words }) => asked.map((word) => words.filter((one) => one === word).length));
  const rarity = asked.map((_, at) => {
    const found = counts.filter((own) => own[at]! > 0).length;
    return Math.log(1 + (texts.length - found + 0.5) / (found + 0.5));
  });
  const scoreOf = (index: number) =>
    counts[index]!.reduce((sum, count, at) => {
      const length = 0.25 + (0.75 * texts[index]!.words.length) / average;
      return sum + (rarity[at]! * count * 2.2) / (count + 1.2 * length);
    }, 0);
  return texts
    .map(({ name }, index) => ({ name, score: scoreOf(index) }))
    .sort((one, other) => other.score - one.score)
    .slice(0, first)
    .map(({ name }) => name);
}

const [queryFile, mountFile] = process.argv.slice(2);
if (import.meta.main && queryFile !== undefined && mountFile !== undefined)
  await compareSearch(queryFile, mountFile);
else if (import.meta.main) {
  const { queries, missed, comparisons } = await measureSearch();
  report(comparisons, queries);
  for (const one of missed) console.log(`missed  ${one}`);
}
