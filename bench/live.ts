// Measures how long the first words of an agent take to reach the client that started its run, with the real Codex, the built
// program on stdio and a model on loopback. The limit holds from the moment the agent's first text arrives at the run host.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../test/delegate/server-process.ts';
import { createWorkbench, nativeCodex } from '../test/delegate/workbench.ts';
import { startResponsesModel } from '../test/model/responses-model.ts';
import { answer, script, type Turn } from '../test/model/turn.ts';
import { median } from './parts/figures.ts';

const rounds = Number(process.argv[2] ?? 20);
const maxDelayMs = 150;

const model = await startResponsesModel();
const bench = createWorkbench(model.config);
let heardAt: number | undefined;
const server = await new ServerProcess(bench, {
  'delegate-command': await nativeCodex(),
  'delegate-answer-within-seconds': '0',
}).initialize();
server.onNotification = (method, params) => {
  if (method === 'notifications/progress' && String(params['message']).startsWith('writing: '))
    heardAt ??= Date.now();
};

const fromAgent: number[] = [];
const fromModel: number[] = [];
try {
  for (let round = 0; round < rounds; round += 1) {
    heardAt = undefined;
    const turn = {
      ...answer({ summary: 'First words, and more words after them.' }),
      pieces: 10,
      pauseMs: 50,
    };
    const params = { name: 'delegate_run', arguments: { task: script(turn as Turn), cwd: bench.project } };
    const result = await server.request('tools/call', { ...params, _meta: { progressToken: round } });
    const { run_dir } = result['structuredContent'] as { run_dir: string };
    const lines = readFileSync(join(run_dir, 'events.jsonl'), 'utf8').trimEnd().split('\n');
    const first = lines.map((line) => JSON.parse(line)).find(({ of }) => of === 'message');
    if (heardAt === undefined) throw new Error('the client heard nothing before the result');
    fromAgent.push(heardAt - Date.parse(first.at));
    fromModel.push(heardAt - model.firstDeltaAt!);
  }
  const figures = (values: readonly number[]) =>
    `median ${median(values)} ms, slowest ${Math.max(...values)} ms`;
  console.log(`${rounds} runs; the median from the agent to the client must not exceed ${maxDelayMs} ms`);
  console.log(`from the agent's first text to the client: ${figures(fromAgent)}`);
  console.log(`from the model's first text to the client: ${figures(fromModel)}`);
  process.exitCode = median(fromAgent) <= maxDelayMs ? 0 : 1;
} finally {
  await server[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
  await model.close();
}
