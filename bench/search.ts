// Measures how often a suitable prompt is among the first three results of everyday queries, over the built-in and test prompts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Catalog } from '../src/prompts/catalog/catalog.ts';
import { PromptSearch } from '../src/prompts/catalog/search.ts';
import { BuiltInSource } from '../src/prompts/jsonl/built-in-source.ts';
import { MountSource } from '../src/prompts/mounts/mount.ts';
import { CommandSource } from '../src/prompts/sources/commands.ts';

interface LabelledQuery {
  readonly query: string;
  /** Names of the suitable prompts. */
  readonly prompts: readonly string[];
}

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures');
const formats = ['claude-code', 'codex', 'dotprompt', 'fabric', 'gemini', 'vscode'];

export async function measureSearch(): Promise<{
  readonly queries: number;
  readonly missed: readonly string[];
}> {
  const catalog = new Catalog([
    new CommandSource({ folder: join(fixtures, 'homes', 'commands', 'commands') }),
    new CommandSource({ folder: join(fixtures, 'formats', 'commands') }),
    ...formats.map((format) => new MountSource({ format, path: join(fixtures, 'formats', format) })),
    new MountSource({ format: 'claude-skills', path: join(fixtures, 'skills', 'skills') }),
    new BuiltInSource({ folder: join(fixtures, 'search'), seeds: false }),
  ]);
  try {
    const search = new PromptSearch(catalog);
    const queries = loadQueries();
    const missed: string[] = [];
    for (const { query, prompts } of queries) {
      const { matches } = await search.find(query, () => true, 3);
      const names = matches.map(({ entry }) => entry.definition.name);
      if (!names.some((name) => prompts.includes(name)))
        missed.push(`${query}: ${names.join(', ') || 'nothing found'}`);
    }
    return { queries: queries.length, missed };
  } finally {
    catalog.close();
  }
}

function loadQueries(): readonly LabelledQuery[] {
  const lines = readFileSync(join(fixtures, 'search', 'queries.jsonl'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as LabelledQuery);
}

if (import.meta.main) {
  const { queries, missed } = await measureSearch();
  console.log(
    `A suitable prompt is among the first three results for ${queries - missed.length} of ${queries} queries.`,
  );
  for (const one of missed) console.log(`missed  ${one}`);
}
