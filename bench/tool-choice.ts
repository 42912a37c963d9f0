import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import { connectMemory } from '../src/transports/memory.ts';

interface Task {
  readonly task: string;
  /** Any of these tools is right. */
  readonly tools: readonly string[];
}

interface Miss extends Task {
  readonly found: readonly string[];
}

export interface Figures {
  readonly tasks: number;
  /** Tasks with a right tool among the first three results. */
  readonly hits: number;
  readonly misses: readonly Miss[];
}

const file = join(import.meta.dirname, '..', 'test', 'fixtures', 'tool-choice.jsonl');

/** Asks search_tools for the tool of each task. Every second task is held out: the keywords were tuned on the others. */
export async function measureToolChoice(): Promise<Record<'tuning' | 'held-out' | 'all', Figures>> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-tool-choice-'));
  const { config } = await loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home });
  const server = createServer('standard', config);
  const client = connectMemory(server);
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const answered: (Miss & { readonly right: boolean })[] = [];
  for (const line of lines) {
    const { task, tools } = JSON.parse(line) as Task;
    const params = { name: 'search_tools', arguments: { query: task, limit: 3 } };
    const { structuredContent } = await client.request('tools/call', params);
    const found = (structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name);
    answered.push({ task, tools, found, right: found.some((name) => tools.includes(name)) });
  }
  await server.close();
  rmSync(home, { recursive: true, force: true });
  const figures = (part: typeof answered): Figures => ({
    tasks: part.length,
    hits: part.filter(({ right }) => right).length,
    misses: part.filter(({ right }) => !right),
  });
  return {
    tuning: figures(answered.filter((_, at) => at % 2 === 0)),
    'held-out': figures(answered.filter((_, at) => at % 2 === 1)),
    all: figures(answered),
  };
}

if (import.meta.main) {
  const { tuning, ...others } = await measureToolChoice();
  for (const [part, { tasks, hits }] of Object.entries({ tuning, ...others }))
    console.log(`${part.padEnd(9)} ${hits}/${tasks} (${((100 * hits) / tasks).toFixed(1)} %)`);
  for (const { task, tools, found } of tuning.misses)
    console.log(`  ${task}: ${tools.join(' or ')}, found ${found.join(', ')}`);
}
