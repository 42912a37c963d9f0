// Measures the overhead of delegate_run over the same `codex exec` started directly. Both run alternately against a model on loopback.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sandbox } from '../src/delegate/agents/sandbox.ts';
import { ServerProcess } from '../test/delegate/server-process.ts';
import { createWorkbench, nativeCodex } from '../test/delegate/workbench.ts';
import { startResponsesModel } from '../test/model/responses-model.ts';
import { median } from './figures.ts';

const rounds = Number(process.argv[2] ?? 30);
const maxOverheadMs = 60;

const model = await startResponsesModel();
const bench = createWorkbench(model.config);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const settings = { 'delegate-command': await nativeCodex(), 'delegate-answer-within-seconds': '0' };
const server = await new ServerProcess(bench, settings).initialize();
/** Uses `codex exec`, as its contract requires. Its runs show the command line to compare with. */
const documented = await new ServerProcess(bench, settings, ['--contract', 'delegate']).initialize();

/** Runs `codex exec` with the command line and prompt of a recorded run, but separate output files. */
async function runDirectly(argv: readonly string[], prompt: string): Promise<number> {
  const files = argv.map((word, index) =>
    ['-o', '--output-schema'].includes(argv[index - 1] ?? '') ? join(folder, word.split('/').at(-1)!) : word,
  );
  const started = performance.now();
  const child = spawn(files[0]!, files.slice(1), {
    cwd: bench.project,
    env: bench.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  child.stdin.end(prompt);
  await once(child, 'close');
  return performance.now() - started;
}

async function measure(sandbox: Sandbox): Promise<number> {
  const run = async (from = server) => {
    const started = performance.now();
    const record = await from.call('delegate_run', {
      task: 'Say that it is done.',
      cwd: bench.project,
      sandbox,
    });
    if (record.status !== 'completed') throw new Error(record.error ?? 'not completed');
    return { milliseconds: performance.now() - started, record };
  };
  await run();
  const { record } = await run(documented);
  const read = (name: string) => readFileSync(join(record.run_dir, name), 'utf8');
  const { argv } = JSON.parse(read('codex_exec.json')) as { argv: string[] };
  const prompt = read('subagent_prompt.txt');
  writeFileSync(join(folder, 'subagent_output.schema.json'), read('subagent_output.schema.json'));
  await runDirectly(argv, prompt);
  const delegated: number[] = [];
  const direct: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    delegated.push((await run()).milliseconds);
    direct.push(await runDirectly(argv, prompt));
  }
  const overhead = median(delegated) - median(direct);
  const pairs = median(delegated.map((milliseconds, index) => milliseconds - direct[index]!));
  console.log(
    `${sandbox}: delegate_run ${median(delegated).toFixed(0)} ms, codex exec ${median(direct).toFixed(0)} ms, overhead ${overhead.toFixed(1)} ms (median of paired differences ${pairs.toFixed(1)} ms, ratio ${(median(delegated) / median(direct)).toFixed(2)})`,
  );
  return overhead;
}

try {
  console.log(`${rounds} alternating rounds each; the median overhead must not exceed ${maxOverheadMs} ms`);
  const overheads = [await measure('read-only'), await measure('workspace-write')];
  process.exitCode = overheads.every((overhead) => overhead <= maxOverheadMs) ? 0 : 1;
} finally {
  await server[Symbol.asyncDispose]();
  await documented[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
