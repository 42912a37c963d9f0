// Measures how the cost of a library grows with its size, in a process of its own: `node --expose-gc growth.ts PROMPTS`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import { Catalog } from '../../src/prompts/catalog/catalog.ts';
import { createPrompts } from '../../src/prompts/prompts.ts';
import { CommandSource } from '../../src/prompts/sources/commands.ts';
import { createRecords } from '../../src/store/records.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { median } from '../parts/figures.ts';

export interface Growth {
  /** CPU time of the first list, as a multiple of reading the files. */
  readonly firstList: number;
  /** CPU time of a later page of 1000 prompts, in milliseconds. */
  readonly laterPage: number;
  /** Memory for each prompt above the size of its file, in kB, without and with the search index. */
  readonly memory: number;
  readonly indexed: number;
}

/** Measures a library of `prompts` files. */
export function measureGrowth(prompts: number): Growth {
  const output = execFileSync(process.execPath, ['--expose-gc', import.meta.filename, String(prompts)], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output) as Growth;
}

const text = (index: number) =>
  `---\ndescription: One of many\n---\nWrite about {{input}} number ${index}.\n${'Some more words to read. '.repeat(20)}\n`;

async function cpuMilliseconds(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Waits until nothing goes on in the background: after a collection, V8's own threads sweep a large heap for a while. */
async function untilIdle(): Promise<void> {
  while ((await cpuMilliseconds(() => sleep(50))) > 2);
}

function open(home: string, commandsDir: string) {
  const documents = createRecords(join(home, 'adjutant.db'));
  const prompts = createPrompts({
    commandsDir,
    jsonlDir: join(home, 'jsonl'),
    twigDir: join(home, 'libraries'),
    userHome: home,
    documents,
    localDocuments: documents,
  });
  return connectMemory(new Server({ contract: standard, features: [prompts] }));
}

async function measure(count: number): Promise<Growth> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-growth-'));
  const folder = join(home, 'commands');
  try {
    mkdirSync(folder);
    let bytes = 0;
    for (let index = 0; index < count; index++) {
      bytes += text(index).length;
      writeFileSync(join(folder, `p${index}.md`), text(index));
    }
    // Files that changed a moment ago are read again: their timestamps are not reliable yet.
    await sleep(200);
    const ratios = [];
    for (let round = 0; round < 3; round++) {
      const reading = await cpuMilliseconds(() => {
        for (const name of readdirSync(folder)) readFileSync(join(folder, name));
      });
      const listing = await cpuMilliseconds(() => new Catalog([new CommandSource({ folder })]).list());
      ratios.push(listing / reading);
    }

    const heap = () => {
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const aboveText = (used: number) => (used - bytes) / count / 1000;
    const search = { name: 'search_prompts', arguments: { query: 'number words' } };
    // What is loaded once for a process does not grow with the library.
    const small = open(home, join(home, 'none'));
    await small.request('prompts/list');
    await small.request('tools/call', search);
    const before = heap();
    const client = open(home, folder);
    await client.request('prompts/list');
    const memory = aboveText(heap() - before);
    await untilIdle();
    const pages = [];
    for (let page = 1; page <= 9; page++)
      pages.push(
        await cpuMilliseconds(() => client.request('prompts/list', { cursor: String(page * 1000) })),
      );
    await client.request('tools/call', search);
    const indexed = aboveText(heap() - before);
    return { firstList: median(ratios), laterPage: median(pages), memory, indexed };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(JSON.stringify(await measure(Number(process.argv[2]))));
