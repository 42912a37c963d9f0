// Measures the overhead of delegate_run over the same `codex exec` started directly. Both run alternately against a model on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../src/delegate/agents/sandbox.ts';
import { ServerProcess } from '../test/delegate/server-process.ts';
import { createWorkbench, nativeCodex } from '../test/delegate/workbench.ts';
import { startResponsesModel } from '../test/model/responses-model.ts';
import { median } from './parts/figures.ts';

const rounds = Number(process.argv[2] ?? 30);
const maxOverheadMs = 60;

const codex = await nativeCodex();
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const server = await new ServerProcess(bench, {
  'delegate-command': codex,
  'delegate-answer-within-seconds': '0',
}).initialize();

/** Lets the processes of the round before end, and the server prepare for the next run. */
const pauseMs = 250;

/** Runs `codex exec` with the prompt and schema of a recorded run. */
async function runDirectly(sandbox: Sandbox, prompt: string): Promise<number> {
  const files = ['--output-schema', join(folder, 'schema.json'), '-o', join(folder, 'last_message.json')];
  const args = ['exec', '-C', bench.project, '--sandbox', sandbox, '--json', ...files, '-'];
  await pause(pauseMs);
  const started = performance.now();
  const child = spawn(codex, args, {
    cwd: bench.project,
    env: bench.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  child.stdin.end(prompt);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`codex exec failed with code ${code}`);
  return performance.now() - started;
}

async function measure(sandbox: Sandbox): Promise<number> {
  const run = async () => {
    await pause(pauseMs);
    const started = performance.now();
    const record = await server.call('delegate_run', {
      task: 'Say that it is done.',
      cwd: bench.project,
      sandbox,
    });
    if (record.status !== 'completed') throw new Error(record.error ?? 'not completed');
    return { milliseconds: performance.now() - started, record };
  };
  const { record } = await run();
  const read = (name: string) => readFileSync(join(record.run_dir, name), 'utf8');
  const prompt = read('subagent_prompt.txt');
  writeFileSync(join(folder, 'schema.json'), read('subagent_output.schema.json'));
  await runDirectly(sandbox, prompt);
  const delegated: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    delegated.push((await run()).milliseconds);
    direct.push(await runDirectly(sandbox, prompt));
  }
  const overhead = median(delegated) - median(direct);
  const pairs = median(delegated.map((milliseconds, index) => milliseconds - direct[index]!));
  console.log(
    `${sandbox}: delegate_run ${median(delegated).toFixed(0)} ms, codex exec ${median(direct).toFixed(0)} ms, overhead ${overhead.toFixed(1)} ms (median of paired differences ${pairs.toFixed(1)} ms, ratio ${(median(delegated) / median(direct)).toFixed(2)})`,
  );
  return overhead;
}

try {
  console.log(
    `${rounds} alternating rounds each; the median overhead of a read-only run must not exceed ${maxOverheadMs} ms`,
  );
  const overhead = await measure('read-only');
  // A writing run also records its folder before and after.
  await measure('workspace-write');
  process.exitCode = overhead <= maxOverheadMs ? 0 : 1;
} finally {
  await server[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
