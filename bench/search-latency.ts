// Measures searches in 10,000 prompts, and the longest slice of work while their file is read and the index is built. Then the
// index of 3,500 files with 10 MB of text is built, and a new process searches it first. All are CPU times of the main thread,
// which a busy machine does not change.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Catalog } from '../src/prompts/catalog/catalog.ts';
import { PromptSearch } from '../src/prompts/catalog/search.ts';
import { UserSource } from '../src/prompts/jsonl/user-source.ts';
import { MountSource } from '../src/prompts/mounts/mount.ts';

const prompts = 10_000;
const maxQueryMs = 5;
/** A ping waits at most this long while the index is built. */
const maxSliceMs = 100;
const files = 3_500;
const megabytes = 10;
const maxBuildMs = 1_500;
const maxFirstMs = 200;
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

/** The catalog of the files in this folder, and the search with its index in a file there. */
function openFiles(folder: string) {
  const catalog = new Catalog([new MountSource({ format: 'fabric', path: join(folder, 'patterns') })]);
  return { catalog, search: new PromptSearch(catalog, { file: join(folder, 'search.db') }) };
}

/** What a new process does: it prints how long its first search takes, and ends before the files are read. */
const [, , indexed] = process.argv;
if (indexed !== undefined) {
  const start = process.threadCpuUsage();
  const { total } = await openFiles(indexed).search.find('review password', () => true, 10);
  process.stdout.write(JSON.stringify({ ms: cpuMs(start), total }));
  process.exit();
}

/** Returns the CPU time of building the index. */
async function buildIndex(folder: string): Promise<number> {
  const words = (megabytes * 1e6) / files / 7;
  for (let index = 0; index < files; index++) {
    const own = join(folder, 'patterns', `${wordAt(index + 50)}_${index}`);
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'system.md'), `# Task\n\n${text(words)}\n`);
  }
  // A file that changed a moment ago may change again without a new time.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const { catalog, search } = openFiles(folder);
  const entries = await catalog.list();
  const bytes = entries.reduce((sum, { definition }) => sum + JSON.stringify(definition.messages).length, 0);
  const start = process.threadCpuUsage();
  await search.find('review', () => true, 10);
  const spent = cpuMs(start);
  await search.close();
  catalog.close();
  return (spent * megabytes * 1e6) / bytes;
}

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
  const fileBuildMs = await buildIndex(folder);
  const child = execFileSync(process.execPath, [import.meta.filename, folder], { encoding: 'utf8' });
  const first = JSON.parse(child) as { ms: number; total: number };
  console.log(
    `${files} files: the index takes ${fileBuildMs.toFixed(0)} ms for ${megabytes} MB of text; the first search of a new process takes ${first.ms.toFixed(0)} ms and finds ${first.total}`,
  );
  if (
    queryMs > maxQueryMs ||
    longestMs > maxSliceMs ||
    fileBuildMs > maxBuildMs ||
    first.ms > maxFirstMs ||
    first.total === 0
  ) {
    console.log(
      `The limits are ${maxQueryMs} ms for a search, ${maxSliceMs} ms for a slice, ${maxBuildMs} ms for the index of the files and ${maxFirstMs} ms for a first search.`,
    );
    process.exitCode = 1;
  }
} finally {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
}
