// Cold start on stdio, from spawn to the answer to `initialize`, with a hundred commands in the folder: the built program
// beside a bare Node script that gives the same answer, and beside the reference server of the protocol.
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
  /** Of the main thread, where the system tells; it says more than the clock on a machine with other work. */
  readonly cpu: number;
  readonly answer: string;
}

async function start(args: readonly string[], gently: boolean): Promise<Start> {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.on('error', () => {});
  child.stdin.write(request);
  let answer = '';
  for await (const chunk of child.stdout) {
    answer += chunk;
    if (answer.includes('\n')) break;
  }
  const milliseconds = performance.now() - began;
  const cpu = cpuMilliseconds(child.pid!);
  if (!answer.includes('"protocolVersion"')) throw new Error(`${args.join(' ')} answered: ${answer}`);
  // Node keeps what it compiled only when it may end by itself; that is for the warm-up.
  if (gently) child.stdin.end();
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
const least = (name: string) => Math.min(...all(name, 'milliseconds'));
const cpu = (name: string) => median(all(name, 'cpu'));
table(
  ['start', 'median ms', 'least ms', 'CPU ms', 'median / bare', 'least / bare', 'CPU / bare'],
  Object.keys(contenders).map((name) => [
    name,
    middle(name),
    least(name),
    cpu(name),
    middle(name) / middle('bare'),
    least(name) / least('bare'),
    cpu(name) / cpu('bare'),
  ]),
);
const check = (ratio: number, of: string, most: number) => {
  console.log(`${ratio.toFixed(2)} ${of} (at most ${most.toFixed(2)})`);
  if (ratio > most) process.exitCode = 1;
};
console.log(`\nWith ${loadavg()[0]!.toFixed(1)} processes at work on ${availableParallelism()} cores:`);
check(middle('adjutant') / middle('bare'), 'times bare Node', 2.2);
if (starts.has('everything')) check(middle('adjutant') / middle('everything'), 'of server-everything', 1 / 3);
