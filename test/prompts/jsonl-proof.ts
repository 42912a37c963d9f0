import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { batchSize } from '../../src/prompts/jsonl/prompt-edits.ts';
import { bundle } from '../program.ts';

/** What a writer knows of its own prompts: the text after the last answered change, and the one that has no answer yet. */
interface Knowledge {
  readonly sure: Map<string, string | undefined>;
  /** Every answered change, in order. */
  readonly changes: { readonly name: string; readonly text: string | undefined }[];
  pending?: { readonly name: string; readonly text: string | undefined };
}

interface Answer {
  readonly result?: { readonly success: boolean };
  readonly error?: { readonly message: string };
}

/** A server of its own on the shared folder, asked one thing after the other. */
class Writer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly knowledge: Knowledge = { sure: new Map(), changes: [] };
  readonly ended: Promise<unknown>;
  answered = 0;
  readonly #prefix: string;
  readonly #lines: AsyncIterator<string>;
  #ids = 0;

  constructor(folder: string, prefix: string) {
    this.#prefix = prefix;
    this.child = spawn(process.execPath, [bundle, 'serve', '--contract', 'jsonl', '--prompts-dir', folder], {
      env: { PATH: process.env['PATH'], HOME: folder },
    });
    this.child.stdin.on('error', () => {});
    this.child.stderr.resume();
    this.ended = once(this.child, 'close');
    this.#lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  /** `undefined` when the server went away before it answered. */
  async ask(method: string, params: object): Promise<Answer | undefined> {
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#ids, method, params })}\n`);
    const { value, done } = await this.#lines.next();
    return done ? undefined : (JSON.parse(value) as Answer);
  }

  /** One random change of one of its own prompts; false when the server is gone. */
  async change(): Promise<boolean> {
    const name = `${this.#prefix}_${Math.floor(Math.random() * 12)}`;
    const known = this.knowledge.sure.get(name) !== undefined;
    const method = known ? (Math.random() < 0.3 ? 'delete' : 'update') : 'create';
    const text = method === 'delete' ? undefined : `${name} ${this.#ids} ${'x'.repeat(Math.random() * 3000)}`;
    const content =
      text === undefined ? {} : { messages: [{ role: 'user', content: { type: 'text', text } }] };
    this.knowledge.pending = { name, text };
    const answer = await this.ask(`prompts/${method}`, {
      name,
      ...(method === 'create' && { title: name }),
      ...content,
    });
    if (answer === undefined) return false;
    if (answer.result?.success !== true) throw new Error(`${method} ${name}: ${answer.error?.message}`);
    delete this.knowledge.pending;
    this.knowledge.sure.set(name, text);
    this.knowledge.changes.push({ name, text });
    this.answered++;
    return true;
  }

  async end(): Promise<void> {
    this.child.stdin.end();
    await this.ended;
  }
}

/** Every line must be JSON at every moment; tells the texts by name. */
function readPrompts(folder: string): Map<string, string> {
  const content = readIfThere(join(folder, 'user.jsonl'));
  if (content !== '' && !content.endsWith('\n')) throw new Error('the last line is cut off');
  const records = content
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const prompts = new Map(records.map(({ name, messages }) => [name, messages[0].content.text]));
  if (prompts.size !== records.length) throw new Error('a name is there twice');
  return prompts;
}

/** A writer that was killed at its first step left no file. */
function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** What was answered is there; what was not is there whole or not at all. */
function compare(folder: string, knowledge: readonly Knowledge[]): void {
  const prompts = readPrompts(folder);
  for (const { sure, pending } of knowledge) {
    for (const [name, text] of sure) {
      const found = prompts.get(name);
      if (found === text || (pending?.name === name && found === pending.text)) continue;
      throw new Error(`${name}: expected ${text?.slice(0, 40)}, found ${found?.slice(0, 40)}`);
    }
  }
  const known = new Set(
    knowledge.flatMap(({ sure, pending }) => [...sure.keys(), ...(pending ? [pending.name] : [])]),
  );
  const strange = [...prompts.keys()].filter((name) => !known.has(name));
  if (strange.length > 0) throw new Error(`nobody made ${strange.join(', ')}`);
}

/** Every answered change is in the history, in its order, and the revisions of each name count without a gap. */
function compareHistory(folder: string, knowledge: readonly Knowledge[]): number {
  const entries = readIfThere(join(folder, 'history.jsonl')).split('\n').filter(Boolean).flatMap(parseEntry);
  const byName = Map.groupBy(entries, ({ name }) => name);
  for (const [name, revisions] of byName) {
    const gap = revisions.findIndex(({ revision }, index) => revision !== index + 1);
    if (gap >= 0) throw new Error(`the history of ${name} has a gap at ${gap + 1}`);
  }
  for (const { changes } of knowledge) {
    for (const [name, own] of Map.groupBy(changes, (change) => change.name)) {
      const kept = byName.get(name) ?? [];
      let place = -1;
      for (const { text } of own) {
        place = kept.findIndex((entry, index) => index > place && entry.text === text);
        if (place < 0) throw new Error(`the history of ${name} lacks ${text?.slice(0, 40)}`);
      }
    }
  }
  return entries.length;
}

/** A writer that was killed may have left half a line. */
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
  readonly journalEntries: number;
  readonly seconds: number;
}

/** Many processes change one file at once while others read it. */
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
          if (!(await writer.change())) throw new Error('a writer went away');
      }),
    );
    busy = false;
    await reading;
    await Promise.all([...writers, reader].map((writer) => writer.end()));
    compare(
      folder,
      writers.map(({ knowledge }) => knowledge),
    );
    const journalEntries = compareHistory(
      folder,
      writers.map(({ knowledge }) => knowledge),
    );
    return {
      changes: processes * changes,
      reads,
      lists,
      journalEntries,
      seconds: (performance.now() - started) / 1000,
    };
  });
}

export interface KillFigures {
  readonly kills: number;
  readonly changes: number;
  /** Kills that hit a change which had no answer yet. */
  readonly interrupted: number;
  readonly seconds: number;
}

/** Writers are killed at random moments, always others going on; nothing that was answered may be missing afterwards. */
export function proveKills(rounds: number, together = 3): Promise<KillFigures> {
  return inFolder(async (folder) => {
    const started = performance.now();
    const everything: Knowledge[] = [];
    let changes = 0;
    let interrupted = 0;
    let made = 0;
    let kills = 0;
    const lives = async () => {
      while (made < rounds) {
        const writer = new Writer(folder, `k${made++}`);
        everything.push(writer.knowledge);
        if (!(await writer.change())) throw new Error('a writer went away by itself');
        const timer = setTimeout(() => writer.child.kill('SIGKILL'), Math.random() * 60);
        while (await writer.change());
        clearTimeout(timer);
        await writer.ended;
        kills++;
        changes += writer.answered;
        if (writer.knowledge.pending !== undefined) interrupted++;
        readPrompts(folder);
      }
    };
    await Promise.all(Array.from({ length: together }, lives));
    compare(folder, everything);
    compareHistory(folder, everything);
    return { kills, changes, interrupted, seconds: (performance.now() - started) / 1000 };
  });
}

export interface ImportFigures {
  /** Imports that did not end by themselves. */
  readonly kills: number;
  /** Kills after the first and before the last batch. */
  readonly between: number;
  readonly prompts: number;
  readonly seconds: number;
}

/** Imports are killed while they write: of each there are whole batches, and what is there has its history. */
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
      if (own % batchSize !== 0) throw new Error(`${own} prompts are no whole batches`);
      if (own > 0 && own < records.length) between++;
      compareHistory(prompts, [{ sure: new Map(), changes: changesOf(prompts) }]);
    }
    const seconds = (performance.now() - started) / 1000;
    return { kills, between, prompts: readPrompts(prompts).size, seconds };
  });
}

/** What is there must have been told. */
function changesOf(folder: string): Knowledge['changes'] {
  return [...readPrompts(folder)].map(([name, text]) => ({ name, text }));
}

/** Whether it was killed before it was done. */
async function importUntilKilled(folder: string, file: string, prefix: string): Promise<boolean> {
  const args = ['prompts', 'import', 'jsonl', file, '--prefix', prefix, '--jsonl-dir', folder];
  const child = spawn(process.execPath, [bundle, ...args], {
    env: { PATH: process.env['PATH'], HOME: folder },
    stdio: 'ignore',
  });
  const ended = once(child, 'close');
  // With the first thing that it does to the folder the writing begins.
  const watching = watch(folder, () => {
    watching.close();
    setTimeout(() => child.kill('SIGKILL'), Math.random() * 150);
  });
  const [, signal] = await ended;
  watching.close();
  return signal === 'SIGKILL';
}
