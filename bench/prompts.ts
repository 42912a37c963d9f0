// Measures libraries of increasing size: the first list compared with only reading the files, later lists and gets, and the
// memory per prompt. Runs each size in its own process. Measures processor time, so other load on the machine does not count.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Catalog } from '../src/prompts/catalog/catalog.ts';
import type { PromptSource } from '../src/prompts/definition/source.ts';
import { UserSource } from '../src/prompts/jsonl/user-source.ts';
import { renderPrompt } from '../src/prompts/rendering/rendering.ts';
import { CommandSource } from '../src/prompts/sources/commands.ts';
import { TwigSource } from '../src/prompts/sources/twig.ts';
import { median, table } from './parts/figures.ts';

const kinds = ['commands', 'twig', 'jsonl'] as const;
type Kind = (typeof kinds)[number];
const body = (index: number) =>
  `Write about {{ topic }} number ${index}.\n${'Some more words to read. '.repeat(20)}\n`;
const perLibrary = 100;

function plant(kind: Kind, folder: string, count: number): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  if (kind === 'jsonl') {
    const lines = Array.from({ length: count }, (_, index) => {
      const messages = [{ role: 'user', content: { type: 'text', text: body(index) } }];
      const args = [{ name: 'topic', required: true }];
      return JSON.stringify({
        name: `p${index}`,
        title: `P ${index}`,
        description: 'One of many',
        arguments: args,
        messages,
      });
    });
    write('user.jsonl', `${lines.join('\n')}\n`);
    return;
  }
  for (let index = 0; index < count; index++) {
    if (kind === 'commands') write(`p${index}.md`, `---\ndescription: One of many\n---\n${body(index)}`);
    else write(`l${Math.floor(index / perLibrary)}/prompts/p${index}.md`, body(index));
  }
  for (let library = 0; kind === 'twig' && library * perLibrary < count; library++) {
    const prompts = Array.from({ length: Math.min(perLibrary, count) }, (_, index) => {
      const name = `p${library * perLibrary + index}`;
      return `[prompts.${name}]\ndescription = "One of many"\n[[prompts.${name}.arguments]]\nname = "topic"\nrequired = true\n`;
    });
    write(`l${library}/twig.toml`, prompts.join('\n'));
  }
}

function sourceOf(kind: Kind, folder: string): PromptSource {
  if (kind === 'commands') return new CommandSource({ folder });
  return kind === 'twig' ? new TwigSource({ folder }) : new UserSource({ folder });
}

function readAll(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? readAll(path) : readFileSync(path).length;
  }
  return bytes;
}

/** Bytes that this process has read so far. Always 0 on systems that do not count them. */
function bytesRead(): number {
  return process.platform === 'linux'
    ? Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))![1])
    : 0;
}

async function timed(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function measure(kind: Kind, count: number): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
  try {
    plant(kind, folder, count);
    readAll(folder);
    // Wait, because the cache rereads files that changed very recently: their timestamps are not reliable yet.
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Load the parser of the format first, because that happens once per process and not once per library.
    const warmUpFolder = join(folder, '..', `${count}-${kind}-warmUpFolder-${process.pid}`);
    plant(kind, warmUpFolder, 3);
    await sourceOf(kind, warmUpFolder).list();
    rmSync(warmUpFolder, { recursive: true });
    globalThis.gc?.();
    const before = process.memoryUsage();
    const catalog = new Catalog([sourceOf(kind, folder)]);
    await catalog.list();
    globalThis.gc?.();
    const after = process.memoryUsage();
    const kilobytes = (after.heapUsed + after.external - before.heapUsed - before.external) / 1024 / count;
    const readings = [];
    const firsts = [];
    for (let round = 0; round < (count > 10_000 ? 1 : 5); round++) {
      readings.push(await timed(() => readAll(folder)));
      firsts.push(await timed(() => new Catalog([sourceOf(kind, folder)]).list()));
    }
    const [reading, first] = [median(readings), median(firsts)];
    const readBefore = bytesRead();
    const later = [];
    for (let round = 0; round < 5; round++) later.push(await timed(() => catalog.list()));
    const readAgain = (bytesRead() - readBefore) / 5;
    const names = (await catalog.list()).map(({ definition }) => definition.name);
    const gets = [];
    for (let round = 0; round < 300; round++) {
      const name = names[(round * 7919) % names.length]!;
      gets.push(
        await timed(async () => {
          const { definition, source } = await catalog.find(name);
          await renderPrompt(definition, { topic: 'owls', input: 'owls' }, source);
        }),
      );
    }
    return [reading, first, first / reading, median(later), readAgain, median(gets), kilobytes];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const [kind, size] = process.argv.slice(2);
if (kind !== undefined && size !== undefined) {
  console.log(JSON.stringify(await measure(kind as Kind, Number(size))));
} else {
  const sizes = [1000, 10_000, 100_000];
  const figures = new Map<string, readonly number[]>();
  for (const one of kinds) {
    for (const count of sizes) {
      const command = ['--expose-gc', import.meta.filename, one, String(count)];
      figures.set(
        `${one} ${count}`,
        JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })),
      );
    }
  }
  const head = [
    'library',
    'read ms',
    'first list ms',
    'ratio',
    'later list ms',
    'bytes reread',
    'get ms',
    'kB/prompt',
  ];
  table(
    head,
    [...figures].map(([name, row]) => [name, ...row]),
  );

  const missed: string[] = [];
  for (const one of kinds) {
    const [small, middle, large] = sizes.map((count) => figures.get(`${one} ${count}`)!);
    // Reading a single JSONL file is so fast that its ratio is not meaningful.
    if (one !== 'jsonl' && middle![2]! > 10)
      missed.push(
        `${one}: the first list takes ${middle![2]!.toFixed(1)} times as long as reading the files`,
      );
    if (large![4]! > 1000) missed.push(`${one}: a later list rereads ${large![4]} bytes`);
    if (large![6]! > 2 * small![6]!) missed.push(`${one}: memory does not grow linearly`);
    if (large![3]! > 40 * middle![3]! + 50) missed.push(`${one}: the time for a list does not grow linearly`);
  }
  for (const line of missed) console.log(`missed: ${line}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}
