import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Check } from 'typebox/schema';
import { script } from '../model/turn.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { type Body, type OfferedTool, type RealClient, textsOf } from './clients.ts';
import { sampleCalls } from './sample-calls.ts';

/** What a client made of our server, as cells of a table, and everything that went wrong. */
export interface Proof {
  readonly version: string;
  readonly tools: string;
  readonly instructions: string;
  readonly expandPrompt: string;
  readonly nativePrompt: string;
  readonly problems: readonly string[];
}

// Words that clients split, cut off, unquote or expand when they fill in single arguments.
const typed = `the "big" harbour; it's x=y & 'more' | $1 {a,b}`;
const body = 'Keep !`echo RAN`, !{echo RAN}, @{f.txt}, @f.txt, {{args}}, $0, $1, $150, $ARGUMENTS.';
const input = Array.from(
  { length: 40 },
  (_, line) => `${line}. "Ebb" & <flow>; $${line} \\ \`tide\` ü😀`,
).join('\n');
const fileContent = 'Low water at 04:10.';
const faulty = { path: 'broken.md', text: '---\ndescription: Broken\n---\nSee {% if x %}this{% endif %}' };

/** Configures a client with `adjutant install`, lets it talk to a model on loopback, and checks what the model received. */
export async function proveClient(client: RealClient, program: string): Promise<Proof> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-client-'));
  const model = await client.startModel();
  const path = [dirname(process.execPath), dirname(program), process.env['PATH'] ?? ''].join(delimiter);
  const env = { HOME: home, PATH: path, CI: 'true', NO_COLOR: '1', ...client.env?.(model) };
  const run = (command: string, args: readonly string[]) => outputOf(command, args, home, env);
  try {
    writeFiles(home);
    const hookFlags = client.hookTask === undefined ? [] : ['--with-hook'];
    await run(process.execPath, [bundle, 'install', client.id, '--quiet', '--prompt', 'greet', ...hookFlags]);
    client.configure?.(home, model);
    const version = /\d+\.\d+\.\d+/.exec(await run(program, ['--version']))?.[0] ?? 'unknown';
    const own = await ownSurface(home);
    const task = script(
      ...(client.load?.(own.tools.map(({ name }) => name)) ?? []),
      client.call('expand_prompt', { command: 'tide', input, arguments: { topic: 'the moon' } }),
      client.call('lint_prompts', { files: [faulty], format: 'commands', limit: 3 }),
      { say: 'Done.' },
    );
    const log = await run(program, client.task(task, home));
    const first = model.requests.map((request) => request.body);
    await run(program, client.nativePrompt(typed, home));
    const second = model.requests.slice(first.length).map((request) => request.body);
    if (client.hookTask !== undefined) await run(program, client.hookTask(`:greet ${typed}`));
    const third = model.requests.slice(first.length + second.length).map((request) => request.body);
    const hook =
      client.hookTask === undefined
        ? []
        : [
            ...absent(third, 'This is what :greet stands for', 'the prompt that a hook expands'),
            ...absent(
              third,
              `Say hello to ${typed}. ${body}`,
              'the whole text of the prompt that a hook expands',
            ),
          ];
    const tools = lostTools(client, own.tools, first);
    const instructions = absent(first, own.rule, 'the rule for :command');
    const expandPrompt = [
      ...absent(first, `Tides of the moon: ${input} End.`, 'the whole result of expand_prompt'),
      ...absent(
        first,
        'is plain text here: this prompt is not a Jinja template',
        'the result of lint_prompts',
      ),
    ];
    const nativePrompt = [
      ...absent(second, client.nativeText(body, typed), 'the whole text of the native prompt'),
      ...absent(second, typed, 'the whole typed text'),
      ...(textsOf(second).includes(fileContent) ? ['the client attached a file'] : []),
    ];
    // Installed prompts are for people: the model is not told of them.
    const told = textsOf(first).includes('About greet.') ? ['the native prompt is offered to the model'] : [];
    const problems = [...tools, ...instructions, ...expandPrompt, ...nativePrompt, ...hook, ...told];
    const cell = (found: readonly string[], text: string) => (found.length === 0 ? text : 'NO');
    const offered = first.map((request) => client.offered(request).length);
    const isDeferred = offered.find((count) => count > 0) !== own.tools.length;
    return {
      version,
      tools: cell(tools, `all${isDeferred ? ', on demand' : ''}`),
      instructions: cell(instructions, 'yes'),
      expandPrompt: cell(expandPrompt, 'exact'),
      nativePrompt: cell(nativePrompt, 'whole'),
      problems: problems.length === 0 ? [] : [...problems, log],
    };
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Tools of ours that the model never sees, and calls that we accept but the schema shown to the model does not. */
function lostTools(
  client: RealClient,
  own: readonly OfferedTool[],
  requests: readonly Body[],
): readonly string[] {
  const offered = new Map(
    requests.flatMap((request) => client.offered(request)).map(({ name, schema }) => [name, schema]),
  );
  return own.flatMap(({ name, schema }) => {
    const shown = offered.get(name);
    if (shown === undefined) return [`${name} is lost`];
    return sampleCalls(schema)
      .filter((args) => !Check(shown, args))
      .map((args) => `${name} would refuse ${JSON.stringify(args)}`);
  });
}

/** Looks for text in what the model received. Some clients send a result as JSON inside of a text. */
function absent(requests: readonly Body[], text: string, what: string): readonly string[] {
  const received = requests.map(textsOf).join('\n');
  return received.includes(text) || received.includes(JSON.stringify(text).slice(1, -1))
    ? []
    : [`${what} did not reach the model`];
}

function writeFiles(home: string): void {
  const commands = join(home, '.local', 'share', 'adjutant', 'commands');
  mkdirSync(commands, { recursive: true });
  const write = (name: string, text: string) =>
    writeFileSync(join(commands, `${name}.md`), `---\ndescription: About ${name}.\n${text}\n`);
  write('greet', `---\nSay hello to {{input}}. ${body}`);
  write(
    'tide',
    'template: braces\narguments: [{ name: topic }, { name: notes }]\n---\nTides of {{topic}}: {{notes}} End.',
  );
  writeFileSync(join(home, 'f.txt'), fileContent);
  // Lists every tool in clients that get the short list, so that each schema passes through the client.
  mkdirSync(join(home, '.config', 'adjutant'), { recursive: true });
  writeFileSync(join(home, '.config', 'adjutant', 'adjutant.toml'), 'toolsets = ["all"]\n');
}

/** Our tools as the server lists them, and the sentence of its instructions that every model must see. */
async function ownSurface(home: string): Promise<{ tools: readonly OfferedTool[]; rule: string }> {
  await using peer = new StdioPeer([bundle, 'serve'], { env: { HOME: home } });
  const opened = await peer.request('initialize', initialize('2025-06-18')['params'] as object);
  const { instructions } = opened['result'] as { instructions: string };
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const { result } = await peer.request('tools/list', {});
  const { tools } = result as unknown as { tools: { name: string; inputSchema: OfferedTool['schema'] }[] };
  return {
    tools: tools.map(({ name, inputSchema }) => ({ name, schema: inputSchema })),
    rule: instructions.split('\n').find((line) => line.includes('MUST call expand_prompt'))!,
  };
}

/** What a program writes to both of its streams. */
export function outputOf(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', () => resolve(output));
  });
}
