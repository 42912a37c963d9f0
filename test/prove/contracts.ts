// Sends the same requests to an earlier version and to this one, in every drop-in contract and over both transports, and compares
// the replies byte for byte. `npm run prove -- contracts COMMIT` builds the earlier version from that commit of this repository.
// The requests are those of the transcripts, calls generated from the schemas of the tools, and random ones.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ContractName, contractNames } from '../../src/contracts/contract.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import { parseTranscript, type Scene } from '../contracts/transcript.ts';
import { createRandom, randomRequest } from '../fuzz/noise.ts';
import { bundle } from '../program.ts';
import { StdioPeer } from '../stdio-peer.ts';
import { buildEarlierVersion } from './parts/earlier-version.ts';

const randomRequests = 300;
const root = join(import.meta.dirname, '..', '..');
const token = 'a-token-for-the-proof';

/** What differs between two servers that answer alike. Each is replaced in both before they are compared. */
const variable: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g, 'TIME'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID'],
  [/\b\d{8}-?\d{6}-[0-9a-z]+\b/g, 'RUN'],
  [/sha256:[0-9a-f]{64}/g, 'HASH'],
];

interface Version {
  readonly label: string;
  readonly program: string;
  readonly folder: string;
}

interface Conversation extends AsyncDisposable {
  /** All that the server sends for one message, as text. */
  exchange(message: unknown): Promise<string>;
}

type Place = { readonly home: string; readonly args: readonly string[] };

/** A fresh folder for a scene. The version's own setup writes its database. */
async function prepare({ fixture }: Scene, version: Version, folder: string): Promise<Place> {
  mkdirSync(folder);
  if (fixture === undefined) return { home: folder, args: ['--home', folder] };
  const kind = fixture.as === 'home' ? 'homes' : 'users';
  const source = join(version.folder, 'test', 'fixtures', kind, fixture.name);
  cpSync(source, folder, { recursive: true });
  const setup = join(source, 'setup.ts');
  if (existsSync(setup)) await (await import(pathToFileURL(setup).href)).setup(folder);
  return { home: folder, args: fixture.as === 'home' ? ['--home', folder] : [] };
}

function start(version: Version, contract: ContractName, { home, args }: Place, http: boolean): StdioPeer {
  const more = http ? ['--http', '--port', '0', '--http-requests-per-second', '1000000'] : [];
  return new StdioPeer([version.program, 'serve', '--contract', contract, ...args, ...more], {
    cwd: home,
    env: { PATH: process.env['PATH'], HOME: home, TZ: 'UTC', ADJUTANT_HTTP_TOKEN_FILE: tokenFile(home) },
  });
}

function tokenFile(home: string): string {
  const file = `${home}-token`;
  writeFileSync(file, token, { mode: 0o600 });
  return file;
}

function overStdio(peer: StdioPeer): Conversation {
  let count = 0;
  const isReplyTo = (id: unknown) => (message: JsonObject) => message['id'] === id && !('method' in message);
  return {
    async exchange(message) {
      const before = peer.messages.length;
      peer.send(message);
      const id = isObject(message) ? message['id'] : undefined;
      const isRequest = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id));
      if (isRequest && isObject(message) && 'method' in message)
        await peer.until((one) => isReplyTo(id)(one) && peer.messages.indexOf(one) >= before);
      // Every server refuses this method, so its reply shows that there is no other one.
      const marker = `marker-${count++}`;
      peer.send({ jsonrpc: '2.0', id: marker, method: 'proof/marker' });
      await peer.until(isReplyTo(marker));
      const found = peer.messages.splice(before).filter((one) => !isReplyTo(marker)(one));
      return found.map((one) => JSON.stringify(one)).join('\n');
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

async function overHttp(peer: StdioPeer, contract: ContractName): Promise<Conversation> {
  const [, url] = await peer.untilStderr(/Page: (\S+?)\/ /);
  let session: string | null = null;
  return {
    async exchange(message) {
      const response = await fetch(`${url}/mcp/${contract}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${token}`,
          ...(session !== null && { 'mcp-session-id': session }),
        },
        body: JSON.stringify(message),
      });
      session = response.headers.get('mcp-session-id') ?? session;
      const text = await response.text();
      return `${response.status} ${response.headers.get('content-type')}\n${text.replaceAll(/^id: .*\n/gm, '')}`;
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

function normalized(text: string, home: string): string {
  const own = text.replaceAll(JSON.stringify(home).slice(1, -1), 'FOLDER');
  return variable.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), own);
}

const values = [
  '',
  'x',
  'user-123',
  '../x',
  0,
  -1,
  2.5,
  true,
  null,
  [],
  {},
  ['a'],
  '2027-03-01T10:00:00Z',
  '👋',
];

/** Calls of every tool: without arguments, with each argument wrong, and with values that fit. */
function* callsOf(tools: readonly JsonObject[], startsAgents: boolean): Generator<object> {
  for (const { name, inputSchema } of tools) {
    const call = (args: unknown) => ({ method: 'tools/call', params: { name, arguments: args } });
    const { properties = {}, required = [] } = inputSchema as {
      properties?: Readonly<Record<string, JsonObject>>;
      required?: readonly string[];
    };
    const fitting = (key: string) => fittingValue(properties[key] ?? {});
    const complete = Object.fromEntries(required.map((key) => [key, fitting(key)]));
    yield call({ unknown_argument: 1 });
    for (const wrong of [[], 'text', null]) yield call(wrong);
    if (required.length > 0 || !startsAgents) yield call({});
    for (const key of Object.keys(properties))
      for (const value of values) {
        const isWrong = !fitsType(properties[key]!, value);
        if (isWrong || !startsAgents) yield call({ ...complete, [key]: value });
      }
    if (!startsAgents) yield call(complete);
  }
}

function fittingValue({ type, enum: choices, default: standard }: JsonObject): unknown {
  if (standard !== undefined) return standard;
  if (Array.isArray(choices)) return choices[0];
  return (
    { string: 'user-123', integer: 1, number: 1, boolean: true, array: [], object: {} }[String(type)] ?? 'x'
  );
}

function fitsType({ type }: JsonObject, value: unknown): boolean {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return type === undefined || [type].flat().includes(kind) || (kind === 'number' && type === 'integer');
}

const listMethods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

/** What is sent after the transcript, without ids. */
function generated(contract: ContractName): readonly object[] {
  const golden = JSON.parse(
    readFileSync(join(root, 'test', 'contracts', `${contract}.tools.json`), 'utf8'),
  ) as {
    readonly result?: { readonly tools: readonly JsonObject[] };
  };
  const tools = golden.result?.tools ?? [];
  const random = createRandom(7);
  return [
    ...listMethods.flatMap((method) => [
      { method },
      ...values.map((cursor) => ({ method, params: { cursor } })),
    ]),
    ...['prompts/get', 'prompts/create', 'prompts/update', 'prompts/delete', 'resources/read'].flatMap(
      (method) =>
        values.flatMap((value) => [
          { method, params: { name: value, uri: value } },
          {
            method,
            params: { name: 'research', uri: 'resources://users/user-123', arguments: { input: value } },
          },
        ]),
    ),
    ...callsOf(tools, contract === 'delegate'),
    ...Array.from({ length: randomRequests }, () => randomRequest(random)),
  ];
}

const problems: string[] = [];
let compared = 0;

async function compare(
  versions: readonly [Version, Version],
  contract: ContractName,
  scene: Scene,
  transport: 'stdio' | 'http',
  messages: readonly unknown[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-contracts-'));
  try {
    await using servers = new AsyncDisposableStack();
    const sides = [];
    for (const version of versions) {
      const place = await prepare(scene, version, join(folder, version.label));
      const peer = servers.use(start(version, contract, place, transport === 'http'));
      const conversation = transport === 'http' ? await overHttp(peer, contract) : overStdio(peer);
      sides.push({ home: place.home, conversation });
    }
    for (const message of messages) {
      const [before, now] = await Promise.all(
        sides.map(async ({ home, conversation }) => normalized(await conversation.exchange(message), home)),
      );
      compared += 1;
      if (before === now) continue;
      problems.push(`${contract} over ${transport}`);
      process.stdout.write(
        `✗ ${contract} over ${transport}, ${scene.title}\n  sent   ${JSON.stringify(message)?.slice(0, 300)}\n  before ${before?.slice(0, 1500)}\n  now    ${now?.slice(0, 1500)}\n`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

{
  using earlier = buildEarlierVersion('contracts');
  const versions = [
    { label: 'before', program: earlier.program, folder: earlier.folder },
    { label: 'now', program: bundle, folder: root },
  ] as const;
  for (const contract of contractNames.filter((name) => name !== 'standard')) {
    const scenes = parseTranscript(join(root, 'test', 'contracts', `${contract}.transcript`)).filter(
      ({ rendering }) => rendering === undefined,
    );
    for (const transport of ['stdio', 'http'] as const) {
      for (const scene of scenes)
        await compare(
          versions,
          contract,
          scene,
          transport,
          scene.exchanges.map(({ sent }) => sent),
        );
      const [first] = scenes;
      const own = generated(contract).map((message, id) => ({ jsonrpc: '2.0', id: `g${id}`, ...message }));
      await compare(versions, contract, first!, transport, [first!.exchanges[0]!.sent, ...own]);
      process.stdout.write(`${contract} over ${transport}: ${own.length} generated requests\n`);
    }
  }
}
process.stdout.write(`${compared} requests, ${problems.length} differences\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
