// The promises about runs in full size, with the real codex and a model on loopback. Prints what it saw; ends with 1 when one
// of them is broken.
import { join } from 'node:path';
import { sandboxes } from '../../src/delegate/agents/sandbox.ts';
import { crashAutopilotOnce } from '../delegate/autopilot-crash.ts';
import { cancelOnce } from '../delegate/cancel.ts';
import { crashOnce } from '../delegate/crash.ts';
import { crowd } from '../delegate/crowd.ts';
import { codexShim, createWorkbench, nativeCodex } from '../delegate/workbench.ts';
import { startResponsesModel } from '../model/responses-model.ts';

const kills = Number(process.argv[2] ?? 20);
const crowdSize = Number(process.argv[3] ?? 50);
const model = await startResponsesModel();
const bench = createWorkbench(model.config);
const native = { 'delegate-command': await nativeCodex(), 'delegate-danger-folders': bench.project };
const broken: string[] = [];
const demand = (holds: boolean, what: string) => {
  if (!holds) broken.push(what);
};

try {
  console.log(`${kills} servers killed at random moments of a run`);
  const statuses: Record<string, number> = {};
  for (let round = 0; round < kills; round += 1) {
    const { killedAfterMs, sandbox, status, wrong } = await crashOnce(
      bench,
      native,
      Math.random() ** 2 * 2_500,
      round,
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
    console.log(`  ${killedAfterMs.toFixed(0)} ms, ${sandbox}: ${status} ${wrong.join('; ')}`);
    demand(wrong.length === 0, `kill ${round}: ${wrong.join('; ')}`);
  }
  console.log(`  ${JSON.stringify(statuses)}`);

  console.log(`${kills} servers killed at random moments of an autopilot`);
  for (let round = 0; round < kills; round += 1) {
    const crash = await crashAutopilotOnce(bench, native, Math.random() * 4_000);
    const { killedAfterMs, status, done, wrong } = crash;
    console.log(
      `  ${killedAfterMs.toFixed(0)} ms: ${status}, jobs done ${done.join(' ')} ${wrong.join('; ')}`,
    );
    demand(wrong.length === 0, `autopilot ${round}: ${wrong.join('; ')}`);
  }

  console.log('runs cancelled whose children ignore signals and leave their session');
  const shim = { ...native, 'delegate-command': codexShim };
  const ways = [
    ['codex', native, {}],
    ['codex behind the script of npm', shim, {}],
    [
      'the same where the script stays',
      shim,
      { NODE_OPTIONS: `--require=${join(import.meta.dirname, '../fixtures/agent/no-execve.cjs')}` },
    ],
  ] as const;
  for (const [name, settings, env] of ways) {
    Object.assign(bench.env, env);
    for (const sandbox of sandboxes) {
      const { record, milliseconds, left } = await cancelOnce(bench, settings, sandbox);
      const killed = record.ended_processes.filter(({ by }) => by === 'SIGKILL').length;
      console.log(
        `  ${name}, ${sandbox}: ${record.status} in ${milliseconds} ms, ${record.ended_processes.length} processes ended (${killed} killed), ${left.length} left`,
      );
      demand(record.status === 'cancelled' && left.length === 0, `${name}, ${sandbox}: ${left.join('; ')}`);
    }
  }
  delete bench.env['NODE_OPTIONS'];

  console.log(`${crowdSize} runs asked of 4 servers at once, 4 at a time`);
  const limits = { ...native, 'delegate-max-parallel': '4', 'delegate-answer-within-seconds': '0' };
  const { records, milliseconds, mostSeen, mostTold, overtaken } = await crowd(bench, limits, 4, crowdSize);
  const completed = records.filter(({ status }) => status === 'completed').length;
  console.log(
    `  ${completed} completed in ${(milliseconds / 1000).toFixed(1)} s; at most ${mostSeen} in the process table, ${mostTold} by their own times; ${overtaken} overtaken`,
  );
  demand(completed === crowdSize, `${crowdSize - completed} runs did not complete`);
  demand(mostSeen <= 4 && mostTold <= 4, `${Math.max(mostSeen, mostTold)} at a time`);
} finally {
  await bench[Symbol.asyncDispose]();
  await model.close();
}
console.log(broken.length === 0 ? 'all promises kept' : `broken:\n  ${broken.join('\n  ')}`);
process.exitCode = broken.length === 0 ? 0 : 1;
