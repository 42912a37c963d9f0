// Measures searches in 10,000 prompts, and the longest slice of work while their file is read and the index is built. Both are
// CPU times of the main thread, which a busy machine does not change.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalog } from '../src/prompts/catalog/catalog.ts';
import { PromptSearch } from '../src/prompts/catalog/search.ts';
import { UserSource } from '../src/prompts/jsonl/user-source.ts';

const prompts = 10_000;
const maxQueryMs = 5;
/** A ping waits at most this long while the index is built. */
const maxSliceMs = 100;
/** Like a real language: the word at rank n occurs 1/n as often as the most frequent one. */
const vocabulary = 20_000;
let seed = 7;
const random = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};
const syllables = 'ba ce di fo gu ha ke li mo nu pa re si to vu wa ze lin mar ten sol'.split(' ');
/** Words with many related words, which a search looks up as well. */
const english =
  'review summary test error login password database performance update document deploy design secure mail recover'.split(
    ' ',
  );
const wordAt = (rank: number) => {
  if (rank % 40 === 0 && rank / 40 < english.length + 1) return english[rank / 40 - 1] ?? 'the';
  let text = '';
  for (let rest = rank + 21; rest > 0; rest = Math.floor(rest / 21)) text += syllables[rest % 21];
  return text;
};
const word = () => wordAt(Math.floor(vocabulary ** random()));
const text = (length: number) => Array.from({ length }, word).join(' ');
/** People search for words that mean something: neither the most frequent ones nor the rarest. */
const queryOf = (length: number) =>
  Array.from({ length }, () =>
    random() < 0.3
      ? english[Math.floor(english.length * random())]
      : wordAt(50 + Math.floor(3000 * random())),
  ).join(' ');

const cpuMs = (since?: NodeJS.CpuUsage) => {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1000;
};

const folder = mkdtempSync(join(tmpdir(), 'adjutant-search-'));
const lines = Array.from({ length: prompts }, (_, index) =>
  JSON.stringify({
    name: `${word()}_${word()}_${index}`,
    title: text(3),
    description: text(12),
    tags: [word()],
    messages: [{ role: 'user', content: text(80) }],
  }),
);
writeFileSync(join(folder, 'user.jsonl'), `${lines.join('\n')}\n`);
const catalog = new Catalog([new UserSource({ folder })]);
try {
  const search = new PromptSearch(catalog);
  const find = (query: string) => search.find(query, () => true, 10);
  let isBuilding = true;
  let longestMs = 0;
  let slices = 0;
  let since = process.threadCpuUsage();
  const turn = () => {
    longestMs = Math.max(longestMs, cpuMs(since));
    since = process.threadCpuUsage();
    slices++;
    if (isBuilding) setImmediate(turn);
  };
  setImmediate(turn);
  const start = process.threadCpuUsage();
  await find(queryOf(1));
  isBuilding = false;
  const buildMs = cpuMs(start);
  for (let index = 0; index < 100; index++) await find(queryOf(1 + (index % 4)));
  const searching = process.threadCpuUsage();
  const queries = 400;
  for (let index = 0; index < queries; index++) await find(queryOf(1 + (index % 4)));
  const queryMs = cpuMs(searching) / queries;
  console.log(
    `${prompts} prompts: the index takes ${buildMs.toFixed(0)} ms in ${slices} slices of at most ${longestMs.toFixed(0)} ms; a search takes ${queryMs.toFixed(1)} ms`,
  );
  if (queryMs > maxQueryMs || longestMs > maxSliceMs) {
    console.log(`The limits are ${maxQueryMs} ms for a search and ${maxSliceMs} ms for a slice.`);
    process.exitCode = 1;
  }
} finally {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
}
