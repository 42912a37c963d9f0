// Measures the latency of prompts: rendering ten arguments, prompts/get over stdio compared with a minimal server of the
// official SDK that returns a constant text, and the time from a file change to the notification.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { Jinja } from '../src/prompts/jinja/jinja.ts';
import { componentFile } from '../test/components.ts';
import { bundle, initialize } from '../test/program.ts';
import { median, table } from './parts/figures.ts';

const names = Array.from({ length: 10 }, (_, index) => `a${index}`);
const args = Object.fromEntries(names.map((name) => [name, `the value of ${name}`]));
const template = names.map((name) => `${name}: {{ ${name} }}{% if ${name} %} (given){% endif %}`).join('\n');
const home = mkdtempSync(join(tmpdir(), 'adjutant-latency-'));
const library = join(home, 'libraries', 'bench');

function manifest(description: string): string {
  const declared = names.map((name) => `{ name = "${name}", required = true }`).join(', ');
  return `[prompts.ten]\ndescription = "${description}"\narguments = [${declared}]\n`;
}

/** Saves like an editor: writes a new file, then renames it. */
function save(path: string, text: string): void {
  writeFileSync(`${path}~`, text);
  renameSync(`${path}~`, path);
}

function minimalServer(): string {
  const file = join(home, 'minimal.mjs');
  const sdk = pathToFileURL(componentFile('@modelcontextprotocol/server/dist/')).href;
  writeFileSync(
    file,
    `import { McpServer } from '${sdk}index.mjs';
import { StdioServerTransport } from '${sdk}stdio.mjs';
const server = new McpServer({ name: 'minimal', version: '1' });
const messages = [{ role: 'user', content: { type: 'text', text: ${JSON.stringify(template)} } }];
server.registerPrompt('ten', { description: 'constant' }, () => ({ messages }));
await server.connect(new StdioServerTransport());
`,
  );
  return file;
}

class Peer {
  readonly child: ChildProcessWithoutNullStreams;
  readonly #answers = new Map<number, (message: { result?: object }) => void>();
  notified: (() => void) | undefined;
  #ids = 0;

  constructor(command: readonly string[]) {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    this.child = spawn(process.execPath, command, { env });
    this.child.stderr.resume();
    createInterface(this.child.stdout).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'notifications/prompts/list_changed') this.notified?.();
      this.#answers.get(message.id)?.(message);
    });
  }

  ask(method: string, params: object): Promise<{ result?: object }> {
    const id = ++this.#ids;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  async start(): Promise<this> {
    await this.ask('initialize', initialize()['params'] as object);
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return this;
  }

  async stop(): Promise<void> {
    this.child.stdin.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function measureRendering(): Promise<number> {
  const jinja = new Jinja();
  jinja.set('ten.md', template);
  const times = [];
  for (let round = 0; round < 2000; round++) times.push(await timed(() => jinja.render('ten.md', args)));
  jinja.close();
  return median(times);
}

async function measureGet(): Promise<readonly [ours: number, minimal: number]> {
  const ours = await new Peer([bundle, 'serve', '--home', home]).start();
  const minimal = await new Peer([minimalServer()]).start();
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < 1500; round++) {
    const latencies = [
      await timed(async () => {
        if (!(await ours.ask('prompts/get', { name: 'bench:ten', arguments: args })).result)
          throw new Error('no prompt');
      }),
      await timed(async () => {
        if (!(await minimal.ask('prompts/get', { name: 'ten' })).result) throw new Error('no prompt');
      }),
    ];
    if (round < 200) continue;
    for (const [index, time] of latencies.entries()) times[index]!.push(time);
  }
  await Promise.all([ours.stop(), minimal.stop()]);
  return [median(times[0]), median(times[1])];
}

async function measureNotifications(): Promise<{
  readonly one: number;
  readonly burst: number;
  readonly notifications: number;
}> {
  const peer = await new Peer([bundle, 'serve', '--home', home]).start();
  await peer.ask('prompts/list', {});
  const notification = () => new Promise<void>((resolve) => (peer.notified = resolve));
  const times = [];
  for (let round = 0; round < 30; round++) {
    const next = notification();
    const started = performance.now();
    save(join(library, 'twig.toml'), manifest(`Change ${round}`));
    await next;
    times.push(performance.now() - started);
  }
  let count = 0;
  const first = new Promise<void>((resolve) => {
    peer.notified = () => {
      count++;
      resolve();
    };
  });
  mkdirSync(join(home, 'commands'), { recursive: true });
  const started = performance.now();
  for (let index = 0; index < 500; index++)
    writeFileSync(join(home, 'commands', `new${index}.md`), `---\ndescription: New ${index}\n---\nText\n`);
  await first;
  const burst = performance.now() - started;
  // Wait long enough for a second notification to arrive.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await peer.stop();
  return { one: median(times), burst, notifications: count };
}

mkdirSync(join(library, 'prompts'), { recursive: true });
writeFileSync(join(library, 'twig.toml'), manifest('Ten arguments'));
writeFileSync(join(library, 'prompts', 'ten.md'), template);
try {
  const [ours, minimal] = await measureGet();
  const { one, burst, notifications } = await measureNotifications();
  const rendered = await measureRendering();
  table(
    ['', 'median ms'],
    [
      ['rendering ten arguments', rendered],
      ['prompts/get over stdio', ours],
      ['the same from a minimal server', minimal],
      ['ratio', ours / minimal],
      ['changed file to notification', one],
      ['500 new files to the first notification', burst],
      ['notifications for the 500 files', notifications],
    ],
  );
  const missed = [
    ...(rendered < 1 ? [] : ['rendering takes a millisecond or more']),
    ...(ours <= 3 * minimal ? [] : ['prompts/get takes more than three times the minimal server']),
    ...(one < 150 ? [] : ['the notification of a change takes 150 ms or more']),
    ...(notifications === 1 ? [] : ['a burst of changes sends more than one notification']),
  ];
  for (const line of missed) console.log(`missed: ${line}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}
