// Full-size checks of cancellation and parallel runs, with the real Codex and a model on loopback. Prints the
// measurements and exits with 1 if a check fails.
import { join } from 'node:path';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { cancelOnce } from '../delegate/cancel.ts';
import { startParallelRuns } from '../delegate/parallel-runs.ts';
import { codexShim, createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const runCount = Number(process.argv[2] ?? 50);
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
const native = { 'delegate-command': await nativeCodex(), 'delegate-danger-folders': bench.project };
const failures: string[] = [];
const check = (passed: boolean, failure: string) => {
  if (!passed) failures.push(failure);
};

try {
  console.log('cancelling runs whose child processes ignore signals and leave their session');
  const shim = { ...native, 'delegate-command': codexShim };
  const launches = [
    ['native codex', native, {}],
    ['codex with the npm launcher', shim, {}],
    [
      'codex with the npm launcher as its parent',
      shim,
      { NODE_OPTIONS: `--require=${join(import.meta.dirname, '../fixtures/agent/no-execve.cjs')}` },
    ],
  ] as const;
  for (const [name, settings, env] of launches) {
    Object.assign(bench.env, env);
    for (const sandbox of sandboxes) {
      const { record, milliseconds, left } = await cancelOnce(bench, settings, sandbox);
      const killed = record.ended_processes.filter(({ by }) => by === 'SIGKILL').length;
      console.log(
        `  ${name}, ${sandbox}: ${record.status} in ${milliseconds} ms, ${record.ended_processes.length} processes ended (${killed} killed), ${left.length} left`,
      );
      check(record.status === 'cancelled' && left.length === 0, `${name}, ${sandbox}: ${left.join('; ')}`);
    }
  }
  delete bench.env['NODE_OPTIONS'];

  console.log(`starting ${runCount} runs on 4 servers at once, with a limit of 4 in parallel`);
  const limits = { ...native, 'delegate-max-parallel': '4', 'delegate-answer-within-seconds': '0' };
  const { records, milliseconds, maxObserved, maxReported, overtaken } = await startParallelRuns(
    bench,
    limits,
    4,
    runCount,
  );
  const completed = records.filter(({ status }) => status === 'completed').length;
  console.log(
    `  ${completed} completed in ${(milliseconds / 1000).toFixed(1)} s; at most ${maxObserved} in the process table, ${maxReported} by their own times; ${overtaken} overtaken`,
  );
  check(completed === runCount, `${runCount - completed} runs did not complete`);
  check(maxObserved <= 4 && maxReported <= 4, `${Math.max(maxObserved, maxReported)} runs in parallel`);
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
console.log(failures.length === 0 ? 'all checks passed' : `failed:\n  ${failures.join('\n  ')}`);
process.exitCode = failures.length === 0 ? 0 : 1;
