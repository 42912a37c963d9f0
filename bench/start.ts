// Measures a cold start on stdio, from spawn to the answer to `initialize`, with a hundred prompt commands. Compares the built
// program with a bare Node script that gives the same answer, and with the reference server of the protocol.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { componentFile } from '../test/components.ts';
import { bundle, initialize } from '../test/program.ts';
import { median, table } from './figures.ts';

const rounds = Number(process.argv[2] ?? 40);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const commands = join(folder, 'commands');
mkdirSync(commands);
for (let index = 0; index < 100; index++) {
  writeFileSync(
    join(commands, `command-${index}.md`),
    `---\ndescription: Command number ${index}\n---\nDo {{input}}, ${index} times.\n`,
  );
}
const request = `${JSON.stringify(initialize())}\n`;
const everything = componentFile('@modelcontextprotocol/server-everything/dist/index.js');

interface Start {
  readonly milliseconds: number;
  /** CPU time of the main thread, if known. More reliable than wall time on a busy machine. */
  readonly cpu: number;
  readonly answer: string;
}

async function start(args: readonly string[], exitNormally: boolean): Promise<Start> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.write(request);
  let answer = '';
  for await (const chunk of child.stdout) {
    answer += chunk;
    if (answer.includes('\n')) break;
  }
  const milliseconds = performance.now() - startedAt;
  const cpu = cpuMilliseconds(child.pid!);
  if (!answer.includes('"protocolVersion"')) throw new Error(`${args.join(' ')} answered: ${answer}`);
  // Node writes its compile cache only on a normal exit, which the warm-up needs.
  if (exitNormally) child.stdin.end();
  else child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { milliseconds, cpu, answer };
}

function cpuMilliseconds(pid: number): number {
  const file = `/proc/${pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : Number.NaN;
}

const ours = [bundle, 'serve', '--home', folder];
const { answer } = await start(ours, true);
const bareScript = join(folder, 'bare.cjs');
writeFileSync(
  bareScript,
  `const result = ${JSON.stringify(JSON.parse(answer).result)};
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end; (end = text.indexOf('\\n')) >= 0; text = text.slice(end + 1)) {
    const { id } = JSON.parse(text.slice(0, end));
    process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
  }
});
`,
);
const contenders = {
  bare: [bareScript],
  adjutant: ours,
  ...(existsSync(everything) && { everything: [everything, 'stdio'] }),
};

const starts = new Map<string, Start[]>(Object.keys(contenders).map((name) => [name, []]));
const warmUp = 3;
for (let round = -warmUp; round < rounds; round++) {
  for (const [name, args] of Object.entries(contenders)) {
    const one = await start(args, round < 0);
    if (round >= 0) starts.get(name)!.push(one);
  }
}
rmSync(folder, { recursive: true });

const all = (name: string, figure: 'milliseconds' | 'cpu') => starts.get(name)!.map((one) => one[figure]);
const middle = (name: string) => median(all(name, 'milliseconds'));
const minimum = (name: string) => Math.min(...all(name, 'milliseconds'));
const cpu = (name: string) => median(all(name, 'cpu'));
table(
  ['start', 'median ms', 'minimum ms', 'CPU ms', 'median / bare', 'minimum / bare', 'CPU / bare'],
  Object.keys(contenders).map((name) => [
    name,
    middle(name),
    minimum(name),
    cpu(name),
    middle(name) / middle('bare'),
    minimum(name) / minimum('bare'),
    cpu(name) / cpu('bare'),
  ]),
);
const check = (ratio: number, of: string, maximum: number) => {
  console.log(`${ratio.toFixed(2)} ${of} (at most ${maximum.toFixed(2)})`);
  if (ratio > maximum) process.exitCode = 1;
};
console.log(`\nWith a load of ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} cores:`);
check(middle('adjutant') / middle('bare'), 'times bare Node', 2.2);
if (starts.has('everything')) check(middle('adjutant') / middle('everything'), 'of server-everything', 1 / 3);
