// Cold start on stdio, from spawn to the answer to `initialize`, with a hundred commands in the folder: the built program
// beside a bare Node script that gives the same answer, and beside the reference server of the protocol.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

async function start(
  args: readonly string[],
  gently: boolean,
): Promise<{ milliseconds: number; answer: string }> {
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
  if (!answer.includes('"protocolVersion"')) throw new Error(`${args.join(' ')} answered: ${answer}`);
  // Node keeps what it compiled only when it may end by itself; that is for the warm-up.
  if (gently) child.stdin.end();
  else child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { milliseconds, answer };
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

const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as number[]]));
const warmUp = 3;
for (let round = -warmUp; round < rounds; round++) {
  for (const [name, args] of Object.entries(contenders)) {
    const { milliseconds } = await start(args, round < 0);
    if (round >= 0) times[name]!.push(milliseconds);
  }
}
rmSync(folder, { recursive: true });

const least = (name: string) => Math.min(...times[name]!);
const middle = (name: string) => median(times[name]!);
table(
  ['start', 'median ms', 'least ms', 'median / bare', 'least / bare'],
  Object.keys(contenders).map((name) => [
    name,
    middle(name),
    least(name),
    middle(name) / middle('bare'),
    least(name) / least('bare'),
  ]),
);
const overBare = middle('adjutant') / middle('bare');
console.log(`\n${overBare.toFixed(2)} times bare Node (at most 2.2)`);
if (overBare > 2.2) process.exitCode = 1;
if ('everything' in times) {
  const overEverything = middle('adjutant') / middle('everything');
  console.log(`${overEverything.toFixed(2)} of server-everything (at most 0.33)`);
  if (overEverything > 1 / 3) process.exitCode = 1;
}
