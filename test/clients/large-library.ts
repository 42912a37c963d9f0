import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { sourcesInFolder } from '../../src/prompts/mounts/new-source.ts';
import { bundle, initialize } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { type Body, realClients, textsOf } from './clients.ts';
import { outputOf } from './matrix.ts';

/** What Claude Code made of a library of thousands, and everything that went wrong. */
interface LargeLibraryProof {
  readonly prompts: number;
  readonly exposed: number;
  /** The commands of ours that the client knows. */
  readonly commands: number;
  readonly problems: readonly string[];
}

const librarySize = 3_500;
const exposedLimit = 100;
const typed = `it's the "big harbour" and x=y & more, $1 {a,b} until the last word`;

const wordsOf = (count: number) => Array.from({ length: count }, (_, index) => `word${index}`).join(' ');

/**
 * Serves Claude Code 3,500 prompts: collections in the folders of `root`, and generated ones. It must be ready within its
 * default time limit, know the exposed commands only, and deliver every typed word.
 */
export async function proveLargeLibrary(
  program: string,
  root: string | undefined,
): Promise<LargeLibraryProof> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-large-'));
  const client = realClients.claude;
  const model = await client.startModel();
  const path = [dirname(process.execPath), dirname(program), process.env['PATH'] ?? ''].join(delimiter);
  const env = { HOME: home, PATH: path, CI: 'true', NO_COLOR: '1', ...client.env?.(model) };
  try {
    await writeLibrary(home, root);
    await outputOf(process.execPath, [bundle, 'install', client.id, '--quiet', '--with-hook'], home, env);
    const problems: string[] = [];
    /** The log of the client, and what the model received. */
    const send = async (text: string) => {
      const before = model.requests.length;
      const args = ['-p', '--verbose', '--output-format', 'stream-json', '--', text];
      const log = await outputOf(program, args, home, env);
      return { log, requests: model.requests.slice(before).map(({ body }) => body) };
    };
    const expectText = async (message: string, text: string) => {
      const { log, requests } = await send(message);
      if (!received(requests).includes(text))
        problems.push(`${message}: the model did not receive "${text}"\n…${log.slice(-2000)}`);
    };
    const started = async (start: string) => {
      const { status, commands } = startOf((await send('Good morning.')).log);
      if (status !== 'connected') problems.push(`at the ${start} start, the server is ${status}`);
      if (commands.length > exposedLimit) problems.push(`${commands.length} commands are shown`);
      return commands;
    };
    // Before all files were ever read, some commands may be missing.
    await started('first');
    const { prompts, exposed } = await listedBy(home);
    const commands = await started('second');
    const unknown = exposed.filter((name) => !commands.includes(name));
    if (unknown.length > 0) problems.push(`unknown commands: ${unknown.slice(0, 5).join(', ')}`);
    await expectText(`/mcp__adjutant__greet ${typed}`, `Say hello to ${typed}. End.`);
    await expectText(`/mcp__adjutant__greet ${wordsOf(100)}`, `Say hello to ${wordsOf(100)}. End.`);
    await expectText(
      `/mcp__adjutant__greet ${wordsOf(200)}`,
      '":greet" followed by the text passes all of it',
    );
    const [pattern, command] = ['patterns:', 'commands:'].map(
      (prefix) => exposed.find((name) => name.startsWith(prefix))!,
    );
    await expectText(`/mcp__adjutant__${pattern} ${typed}`, `${textOf(pattern!)} ${typed} End.`);
    await expectText(`/mcp__adjutant__${command} ${typed}`, `${textOf(command!)} ${typed} End.`);
    // The hook expands every prompt, also those that are not listed.
    const hidden = generatedNames.find((name) => !exposed.includes(name))!;
    await expectText(`:greet ${typed}`, `Say hello to ${typed}. End.`);
    await expectText(`:${hidden} ${typed}`, `${textOf(hidden)} ${typed} End.`);
    return { prompts, exposed: exposed.length, commands: commands.length, problems };
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const topics = 'tides boats nets ropes sails lamps charts winds gulls piers'.split(' ');
const generatedNames = Array.from(
  { length: librarySize },
  (_, index) => `${index % 2 === 0 ? 'patterns' : 'commands'}:${topics[index % 10]}-${index}`,
);

function textOf(name: string): string {
  return `Write about ${name}:`;
}

/** Own prompts, the collections, and generated ones for the rest. */
async function writeLibrary(home: string, root: string | undefined): Promise<void> {
  const folders = root === undefined ? [] : readdirSync(root, { withFileTypes: true });
  const found = await Promise.all(
    folders
      .filter((one) => one.isDirectory())
      .map(({ name }) => sourcesInFolder(join(root!, name), { prefix: name }, [])),
  );
  const mounts = found.flat().map(({ entry }) => entry as { format: string; path: string; prefix?: string });
  const given = found.flat().reduce((sum, { prompts }) => sum + prompts.length, 0);
  const files = join(home, 'files');
  for (const name of generatedNames.slice(0, librarySize - given - 1)) {
    const [kind = '', own = ''] = name.split(':');
    const file = join(files, kind, kind === 'patterns' ? `${own}/system.md` : `${own}.md`);
    const input = kind === 'patterns' ? '{{input}}' : '$ARGUMENTS';
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      `${textOf(name)} ${input} End.\n${'The harbour wakes before the town. '.repeat(60)}\n`,
    );
  }
  const all = [
    ...mounts,
    { format: 'fabric', path: join(files, 'patterns'), prefix: 'patterns' },
    { format: 'claude-code', path: join(files, 'commands'), prefix: 'commands' },
  ];
  const settings = all.map((mount) =>
    [
      '[[prompts.mounts]]',
      ...Object.entries(mount).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
    ].join('\n'),
  );
  mkdirSync(join(home, '.config', 'adjutant'), { recursive: true });
  writeFileSync(join(home, '.config', 'adjutant', 'adjutant.toml'), `${settings.join('\n\n')}\n`);
  const own = join(home, '.local', 'share', 'adjutant', 'commands');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'greet.md'), '---\ndescription: Greets.\n---\nSay hello to {{input}}. End.\n');
}

/** How many prompts our server has, and the names of those that it lists for Claude Code when it has read all files. */
async function listedBy(home: string): Promise<{ prompts: number; exposed: readonly string[] }> {
  await using peer = new StdioPeer([bundle, 'serve'], { env: { HOME: home } });
  const params = initialize('2025-06-18')['params'] as object;
  await peer.request('initialize', { ...params, clientInfo: { name: 'claude-code', version: '2' } });
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  // The first list may be a part; the tool waits for all files.
  await peer.request('prompts/list', {});
  const all = await peer.request('tools/call', { name: 'list_prompts', arguments: { limit: 1 } });
  const { structuredContent } = all['result'] as unknown as { structuredContent: { total: number } };
  const { result } = await peer.request('prompts/list', {});
  const { prompts } = result as unknown as { prompts: readonly { name: string }[] };
  return { prompts: structuredContent.total, exposed: prompts.map(({ name }) => name) };
}

/** The first event of the client's log: the state of our server and its commands. */
function startOf(log: string): { readonly status: string; readonly commands: readonly string[] } {
  const line = log.split('\n').find((one) => one.includes('"subtype":"init"'));
  if (line === undefined) return { status: `not started: ${log.slice(0, 500)}`, commands: [] };
  const { mcp_servers: servers, slash_commands: all } = JSON.parse(line) as {
    mcp_servers: readonly { name: string; status: string }[];
    slash_commands: readonly string[];
  };
  const commands = all.flatMap((name) => /^mcp__adjutant__(.*)$/.exec(name)?.[1] ?? []);
  return { status: servers.find(({ name }) => name === 'adjutant')?.status ?? 'unknown', commands };
}

function received(requests: readonly Body[]): string {
  return requests.map(textsOf).join('\n');
}
