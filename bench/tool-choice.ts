// Measures how often search_tools returns a right tool for an everyday task among the first three.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { connectMemory } from '../src/transports/memory.ts';
import { unseenTasks } from './parts/unseen-tasks.ts';

interface Task {
  readonly task: string;
  /** Any of these tools is right. */
  readonly tools: readonly string[];
}

interface Miss extends Task {
  readonly found: readonly string[];
}

interface Figures {
  readonly tasks: number;
  /** Tasks with a right tool among the first three results. */
  readonly hits: number;
  readonly misses: readonly Miss[];
  /** Hits of which search_tools says that probably no tool fits. */
  readonly doubted: readonly Miss[];
}

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures');

function readFixture<Row>(name: string): readonly Row[] {
  const lines = readFileSync(join(fixtures, name), 'utf8').trim().split('\n');
  return lines.map((line): Row => JSON.parse(line));
}

interface Wish {
  readonly wish: string;
  readonly tools: readonly string[];
  /** Whoever wrote the sentences in `src/toolsets/wishes` had read this one. */
  readonly tuning?: true;
}

/**
 * Asks search_tools for the tool of each task. Every second task of the file is held out: the keywords were tuned on the others. The
 * unseen tasks were written later by somebody who had not read the keywords, and are not part of `all`. Outsiders wrote the wishes from
 * a list of what the product can do.
 */
export async function measureToolChoice(): Promise<
  Record<'tuning' | 'held-out' | 'all' | 'unseen' | 'wishes' | 'wishes never tuned', Figures>
> {
  const known = readFixture<Task>('tool-choice.jsonl');
  const unseen = unseenTasks.map(([task, tool]): Task => ({ task, tools: [tool] }));
  const wishes = readFixture<Wish>('wishes.jsonl');
  const answered = await askForTools([
    ...known,
    ...unseen,
    ...wishes.map(({ wish, tools }) => ({ task: wish, tools })),
  ]);
  const all = answered.slice(0, known.length);
  const wished = answered.slice(known.length + unseen.length);
  return {
    tuning: figures(all.filter((_, at) => at % 2 === 0)),
    'held-out': figures(all.filter((_, at) => at % 2 === 1)),
    all: figures(all),
    unseen: figures(answered.slice(known.length, known.length + unseen.length)),
    wishes: figures(wished),
    'wishes never tuned': figures(wished.filter((_, at) => !wishes[at]!.tuning)),
  };
}

type Answered = Miss & { readonly right: boolean; readonly isDoubted: boolean };

/** The first three tools that search_tools returns for each task. */
async function askForTools(tasks: readonly Task[]): Promise<readonly Answered[]> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-tool-choice-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  const server = createServer('standard', config);
  const client = connectMemory(server);
  const answered: Answered[] = [];
  for (const { task, tools } of tasks) {
    const params = { name: 'search_tools', arguments: { query: task, limit: 3 } };
    const { structuredContent } = await client.request('tools/call', params);
    const answer = structuredContent as { tools: { name: string }[]; note?: string };
    const found = answer.tools.map(({ name }) => name);
    const isDoubted = /none of these fits|no tool fits/i.test(answer.note ?? '');
    answered.push({ task, tools, found, right: found.some((name) => tools.includes(name)), isDoubted });
  }
  await server.close();
  rmSync(home, { recursive: true, force: true });
  return answered;
}

function figures(part: readonly Answered[]): Figures {
  return {
    tasks: part.length,
    hits: part.filter(({ right }) => right).length,
    misses: part.filter(({ right }) => !right),
    doubted: part.filter(({ right, isDoubted }) => right && isDoubted),
  };
}

if (import.meta.main) {
  const measured = await measureToolChoice();
  for (const [part, { tasks, hits }] of Object.entries(measured))
    if (tasks > 0)
      console.log(`${part.padEnd(18)} ${hits}/${tasks} (${((100 * hits) / tasks).toFixed(1)} %)`);
  for (const { task, tools, found } of [...measured.tuning.misses, ...measured.wishes.misses])
    console.log(`  ${task}: ${tools.join(' or ')}, found ${found.join(', ')}`);
}
