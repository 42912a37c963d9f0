import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchSize } from '../../src/prompts/jsonl/prompt-edits.ts';
import { bundle } from '../program.ts';
import { Writer, type WriterLog } from './jsonl-writer.ts';

/** The texts by name. Throws unless every line is complete and valid JSON. */
function readPrompts(folder: string): Map<string, string> {
  const content = readIfExists(join(folder, 'user.jsonl'));
  if (content !== '' && !content.endsWith('\n')) throw new Error('the last line is incomplete');
  const records = content
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const prompts = new Map(records.map(({ name, messages }) => [name, messages[0].content.text]));
  if (prompts.size !== records.length) throw new Error('a name occurs twice');
  return prompts;
}

/** An empty string if the file does not exist: a writer may be killed before it creates the file. */
function readIfExists(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Checks that every confirmed change is in the file. An unconfirmed change must be present completely or not at all. */
function checkPrompts(folder: string, logs: readonly WriterLog[]): void {
  const prompts = readPrompts(folder);
  for (const { confirmed, pending } of logs) {
    for (const [name, text] of confirmed) {
      const found = prompts.get(name);
      if (found === text || (pending?.name === name && found === pending.text)) continue;
      throw new Error(`${name}: expected ${text?.slice(0, 40)}, found ${found?.slice(0, 40)}`);
    }
  }
  const known = new Set(
    logs.flatMap(({ confirmed, pending }) => [...confirmed.keys(), ...(pending ? [pending.name] : [])]),
  );
  const unexpected = [...prompts.keys()].filter((name) => !known.has(name));
  if (unexpected.length > 0) throw new Error(`no writer created ${unexpected.join(', ')}`);
}

/** Checks that the history contains every confirmed change in order, and that the revisions of each name have no gap. */
function checkHistory(folder: string, logs: readonly WriterLog[]): number {
  const entries = readIfExists(join(folder, 'history.jsonl')).split('\n').filter(Boolean).flatMap(parseEntry);
  const byName = Map.groupBy(entries, ({ name }) => name);
  for (const [name, revisions] of byName) {
    const gap = revisions.findIndex(({ revision }, index) => revision !== index + 1);
    if (gap >= 0) throw new Error(`the history of ${name} has a gap at ${gap + 1}`);
  }
  for (const { changes } of logs) {
    for (const [name, own] of Map.groupBy(changes, (change) => change.name)) {
      const kept = byName.get(name) ?? [];
      let place = -1;
      for (const { text } of own) {
        place = kept.findIndex((entry, index) => index > place && entry.text === text);
        if (place < 0) throw new Error(`the history of ${name} does not contain ${text?.slice(0, 40)}`);
      }
    }
  }
  return entries.length;
}

/** Skips invalid lines: a killed writer can leave an incomplete one. */
function parseEntry(line: string): readonly { name: string; revision: number; text: string | undefined }[] {
  try {
    const { name, revision, prompt } = JSON.parse(line);
    return [{ name, revision, text: prompt?.messages[0].content.text }];
  } catch {
    return [];
  }
}

async function inFolder<Value>(work: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-proof-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export interface ConcurrencyFigures {
  readonly changes: number;
  readonly reads: number;
  readonly lists: number;
  readonly historyEntries: number;
  readonly seconds: number;
}

/** Several processes change one file at the same time while another process reads it. */
export function proveConcurrency(processes: number, changes: number): Promise<ConcurrencyFigures> {
  return inFolder(async (folder) => {
    const started = performance.now();
    const writers = Array.from({ length: processes }, (_, index) => new Writer(folder, `w${index}`));
    const reader = new Writer(folder, 'reader');
    let busy = true;
    let reads = 0;
    let lists = 0;
    const reading = (async () => {
      while (busy) {
        readPrompts(folder);
        reads++;
        const listed = await reader.ask('prompts/list', {});
        if (listed?.result === undefined) throw new Error(`the reader failed: ${listed?.error?.message}`);
        lists++;
      }
    })();
    await Promise.all(
      writers.map(async (writer) => {
        for (let index = 0; index < changes; index++)
          if (!(await writer.change())) throw new Error('a writer exited');
      }),
    );
    busy = false;
    await reading;
    await Promise.all([...writers, reader].map((writer) => writer.end()));
    checkPrompts(
      folder,
      writers.map(({ log }) => log),
    );
    const historyEntries = checkHistory(
      folder,
      writers.map(({ log }) => log),
    );
    return {
      changes: processes * changes,
      reads,
      lists,
      historyEntries,
      seconds: (performance.now() - started) / 1000,
    };
  });
}

export interface KillFigures {
  readonly kills: number;
  readonly changes: number;
  /** Kills that interrupted an unconfirmed change. */
  readonly interrupted: number;
  readonly seconds: number;
}

/** Kills writers at random times while others continue, then checks that no confirmed change is missing. */
export function proveKills(rounds: number, concurrent = 3): Promise<KillFigures> {
  return inFolder(async (folder) => {
    const started = performance.now();
    const logs: WriterLog[] = [];
    let changes = 0;
    let interrupted = 0;
    let made = 0;
    let kills = 0;
    const runWriters = async () => {
      while (made < rounds) {
        const writer = new Writer(folder, `k${made++}`);
        logs.push(writer.log);
        if (!(await writer.change())) throw new Error('a writer exited before it was killed');
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 60);
        while (await writer.change());
        clearTimeout(timer);
        await writer.ended;
        kills++;
        changes += writer.confirmedCount;
        if (writer.log.pending !== undefined) interrupted++;
        readPrompts(folder);
      }
    };
    await Promise.all(Array.from({ length: concurrent }, runWriters));
    checkPrompts(folder, logs);
    checkHistory(folder, logs);
    return { kills, changes, interrupted, seconds: (performance.now() - started) / 1000 };
  });
}

export interface ImportFigures {
  /** Imports that were killed before they finished. */
  readonly kills: number;
  /** Kills after the first and before the last batch. */
  readonly between: number;
  readonly prompts: number;
  readonly seconds: number;
}

/** Kills imports while they write, then checks that only complete batches are present, each prompt with its history. */
export function proveImportKills(rounds: number, batches = 4): Promise<ImportFigures> {
  return inFolder(async (folder) => {
    const started = performance.now();
    const [prompts, files] = [join(folder, 'prompts'), join(folder, 'all.jsonl')];
    const record = (at: number) => ({
      name: `p${at}`,
      title: 'T',
      messages: [{ role: 'user', content: { type: 'text', text: `${at} ${'x'.repeat(300)}` } }],
    });
    const records = Array.from({ length: batches * batchSize }, (_, at) => JSON.stringify(record(at)));
    writeFileSync(files, records.join('\n'));
    mkdirSync(prompts);
    let kills = 0;
    let between = 0;
    for (let round = 0; round < rounds; round++) {
      if (await importUntilKilled(prompts, files, `k${round}`)) kills++;
      const names = [...readPrompts(prompts).keys()];
      const own = names.filter((name) => name.startsWith(`k${round}_`)).length;
      if (own % batchSize !== 0) throw new Error(`${own} prompts are not a multiple of the batch size`);
      if (own > 0 && own < records.length) between++;
      checkHistory(prompts, [{ confirmed: new Map(), changes: changesOf(prompts) }]);
    }
    const seconds = (performance.now() - started) / 1000;
    return { kills, between, prompts: readPrompts(prompts).size, seconds };
  });
}

/** Treats every prompt in the file as a confirmed change, so that its history is checked. */
function changesOf(folder: string): WriterLog['changes'] {
  return [...readPrompts(folder)].map(([name, text]) => ({ name, text }));
}

/** Returns whether the import was killed before it finished. */
async function importUntilKilled(folder: string, file: string, prefix: string): Promise<boolean> {
  const args = ['prompts', 'import', 'jsonl', file, '--prefix', prefix, '--jsonl-dir', folder];
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  // The first change in the folder shows that the import has started writing.
  const watching = watch(folder, () => {
    watching.close();
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 150);
  });
  const [, signal] = await ended;
  watching.close();
  return signal === 'SIGKILL';
}
