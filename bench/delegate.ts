// Measures the overhead of delegate_run over the same `codex exec` started directly, and how much later its agent begins in a folder
// of 50,000 files. Both run alternately against a model on loopback.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
/** How much later the agent may begin in a large folder. Copies of folders take longer than overlays. */
const maxDelayMs = { 'read-only': 60, 'workspace-write': 80 };
const [folders, filesPerFolder] = [500, 100];

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

interface Times {
  readonly whole: number;
  /** Until the model has the first request. */
  readonly begin: number;
}

/** Runs `codex exec` with the prompt and schema of a recorded run. */
async function runDirectly(sandbox: Sandbox, prompt: string, cwd: string): Promise<Times> {
  const files = ['--output-schema', join(folder, 'schema.json'), '-o', join(folder, 'last_message.json')];
  const args = ['exec', '-C', cwd, '--sandbox', sandbox, '--json', ...files, '-'];
  await pause(pauseMs);
  const timing = start();
  const child = spawn(codex, args, {
    cwd,
    env: bench.env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.resume();
  child.stdin.end(prompt);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`codex exec failed with code ${code}`);
  return timing();
}

/** Returns a function that says how long a run has taken since now. */
function start(): () => Times {
  const [started, startedAt] = [performance.now(), Date.now()];
  return () => ({ whole: performance.now() - started, begin: model.firstDeltaAt! - startedAt });
}

interface Measured {
  readonly overhead: number;
  readonly delay: number;
  /** True if overlays do not work here. */
  readonly isCopy: boolean;
}

async function measure(sandbox: Sandbox, cwd: string): Promise<Measured> {
  const run = async () => {
    await pause(pauseMs);
    const timing = start();
    const record = await server.call('delegate_run', {
      task: 'Say that it is done.',
      cwd,
      sandbox,
    });
    if (record.status !== 'completed') throw new Error(record.error ?? 'not completed');
    return { times: timing(), record };
  };
  const { record } = await run();
  const read = (name: string) => readFileSync(join(record.run_dir, name), 'utf8');
  const prompt = read('subagent_prompt.txt');
  writeFileSync(join(folder, 'schema.json'), read('subagent_output.schema.json'));
  await runDirectly(sandbox, prompt, cwd);
  const delegated: Times[] = [];
  const direct: Times[] = [];
  for (let round = 0; round < rounds; round += 1) {
    delegated.push((await run()).times);
    direct.push(await runDirectly(sandbox, prompt, cwd));
  }
  const [own, plain] = [delegated, direct].map((all) => median(all.map(({ whole }) => whole))) as [
    number,
    number,
  ];
  const overhead = own - plain;
  const pairs = median(delegated.map(({ whole }, index) => whole - direct[index]!.whole));
  const [ownBegin, plainBegin] = [delegated, direct].map((all) => median(all.map(({ begin }) => begin))) as [
    number,
    number,
  ];
  const delay = ownBegin - plainBegin;
  console.log(
    `${sandbox}: delegate_run ${own.toFixed(0)} ms, codex exec ${plain.toFixed(0)} ms, overhead ${overhead.toFixed(1)} ms (median of paired differences ${pairs.toFixed(1)} ms, ratio ${(own / plain).toFixed(2)}); the agent begins after ${ownBegin.toFixed(0)} ms and ${plainBegin.toFixed(0)} ms, ${delay.toFixed(0)} ms later`,
  );
  return { overhead, delay, isCopy: record.evidence?.method === 'copy' };
}

function createLargeFolder(): string {
  const large = join(bench.folder, 'large');
  for (let at = 0; at < folders; at += 1) {
    const path = join(large, `d${at % 20}`, `e${at}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < filesPerFolder; file += 1)
      writeFileSync(join(path, `f${file}.txt`), `file ${at} ${file}\n`);
  }
  execFileSync('git', ['init', '-q'], { cwd: large });
  execFileSync('git', ['add', '-A'], { cwd: large });
  return large;
}

try {
  console.log(
    `${rounds} alternating rounds each; the median overhead of a read-only run must not exceed ${maxOverheadMs} ms`,
  );
  const { overhead } = await measure('read-only', bench.project);
  // A writing run also records its folder before and after.
  await measure('workspace-write', bench.project);
  let isMet = overhead <= maxOverheadMs;
  const large = createLargeFolder();
  for (const [sandbox, limit] of Object.entries(maxDelayMs)) {
    console.log(
      `${folders * filesPerFolder} files; the agent of a run with ${sandbox} must not begin more than ${limit} ms later`,
    );
    const { delay, isCopy } = await measure(sandbox as Sandbox, large);
    isMet &&= isCopy || delay <= limit;
  }
  process.exitCode = isMet ? 0 : 1;
} finally {
  await server[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
