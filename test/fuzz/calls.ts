import { join } from 'node:path';
import { type ContractName, contractNames } from '../../src/contracts/contract.ts';
import { contracts } from '../../src/contracts/contracts.ts';
import { isObject, type JsonObject } from '../../src/json.ts';
import { greeting, initialize, Program } from '../program.ts';
import { anything, createRandom, type Random } from './noise.ts';
import { KnownValues, valueFor } from './schema-values.ts';

export const transports = ['stdio', 'http'] as const;
/** What varies: the arguments of tools, the parameters of methods, or the messages around them. */
export const subjects = ['tools', 'methods', 'envelopes'] as const;

export interface CallFlood {
  readonly contract: ContractName;
  readonly transport: (typeof transports)[number];
  readonly subject: (typeof subjects)[number];
}

/** Every kind of flood. A contract without tools has none for their arguments. */
export const callFloods: readonly CallFlood[] = contractNames.flatMap((contract) =>
  transports.flatMap((transport) =>
    subjects
      .filter((subject) => subject !== 'tools' || contracts[contract].methods.has('tools/call'))
      .map((subject) => ({ contract, transport, subject })),
  ),
);

export interface CallFindings {
  readonly sent: number;
  /** Requests without exactly one answer. */
  readonly unanswered: readonly string[];
  /** Requests whose answer is an internal error. */
  readonly internal: readonly string[];
  /** Lines of the log about bugs. */
  readonly bugs: readonly string[];
  readonly alive: boolean;
  /** Bytes after garbage collection: before the flood and after it. */
  readonly heap: readonly [before: number, after: number];
  readonly resident: number;
}

type Request = JsonObject & { readonly id: string | number };

const atOnce = 8;
const answerMs = 60_000;
const prefix = 'io.modelcontextprotocol/';
const modern = '2026-07-28';

/** Sends requests that a model or a careless client could send, mostly valid, to the built program. */
export async function floodCalls(count: number, flood: CallFlood, seed: number): Promise<CallFindings> {
  const random = createRandom(seed);
  await using program = startProgram(flood);
  const send =
    flood.transport === 'stdio' ? await overStdio(program) : await overHttp(program, flood.contract);
  const known = new KnownValues();
  const tools = contracts[flood.contract].methods.has('tools/list') ? await listTools(send) : [];
  const make = { tools: toolCall, methods: methodCall, envelopes: envelope }[flood.subject];
  const findings = { unanswered: [] as string[], internal: [] as string[] };
  let started = 0;
  const work = async (last: number) => {
    while (started < last) {
      const request: Request = { ...make({ random, known, tools, flood }), id: idOf(started++, random) };
      const shown = () => JSON.stringify(request)?.slice(0, 600);
      const answer = await send(request).catch((error: Error) => error);
      if (answer instanceof Error) findings.unanswered.push(`${answer.message}: ${shown()}`);
      else if (isInternal(answer))
        findings.internal.push(`${JSON.stringify(answer).slice(0, 300)}: ${shown()}`);
      else known.learn(answer['result']);
      if (program.child.exitCode !== null || findings.unanswered.length > 20) return;
    }
  };
  const callUntil = (last: number) => Promise.all(Array.from({ length: atOnce }, () => work(last)));
  // The first calls load what all of them need.
  await callUntil(Math.ceil(count / 10));
  const before = await memory(program);
  await callUntil(count);
  const alive = program.child.exitCode === null && program.child.signalCode === null;
  const after = alive ? await memory(program) : before;
  return {
    ...{ sent: started, ...findings, alive },
    bugs: program.stderr.split('\n').filter((line) => /error: .*( failed|bug:)/.test(line)),
    heap: [before.heap, after.heap],
    resident: after.resident,
  };
}

function startProgram({ contract, transport }: CallFlood): Program {
  const missing = '/nonexistent/agent';
  return new Program(
    [
      ...['serve', '--contract', contract, '--delegate-command', missing],
      ...(contract === 'standard' ? ['--toolsets', 'all'] : []),
      ...(transport === 'http' ? ['--http', '--port', '0', '--http-requests-per-second', '0'] : []),
    ],
    {
      commands: greeting,
      nodeFlags: ['--expose-gc', '--require', join(import.meta.dirname, 'heap-report.cjs')],
    },
  );
}

type Send = (request: Request) => Promise<JsonObject>;

async function overStdio(program: Program): Promise<Send> {
  program.send(initialize('2025-11-25', 'first'));
  await program.take(({ id }) => id === 'first');
  return async (request) => {
    program.send(request);
    return within(program.take(({ id, method }) => id === request.id && method === undefined));
  };
}

async function overHttp(program: Program, contract: ContractName): Promise<Send> {
  const { url, token } = await program.listening();
  return async (request) => {
    const response = await fetch(`${url}/mcp/${contract}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        ...modernHeaders(request),
      },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(answerMs),
    });
    const text = await response.text();
    if (response.status >= 500) throw new Error(`status ${response.status} ${text.slice(0, 200)}`);
    const events = text.startsWith('{')
      ? [text]
      : [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data!);
    const replies = events
      .map((event) => JSON.parse(event) as JsonObject)
      .filter((one) => !('method' in one));
    if (replies.length !== 1) throw new Error(`${replies.length} replies with status ${response.status}`);
    return replies[0]!;
  };
}

/** Revision 2026-07-28 repeats the method and its subject in headers. */
function modernHeaders({ method, params }: Request): Record<string, string> {
  const { _meta, name, uri, taskId } = isObject(params) ? params : {};
  if (!isObject(_meta) || _meta[`${prefix}protocolVersion`] !== modern) return {};
  const encoded = (value: unknown) => `=?base64?${Buffer.from(String(value)).toString('base64')}?=`;
  const subject = method === 'resources/read' ? uri : String(method).startsWith('tasks/') ? taskId : name;
  return {
    'mcp-protocol-version': modern,
    ...(typeof method === 'string' && /^[!-~]*$/.test(method) && { 'mcp-method': method }),
    ...(subject !== undefined && { 'mcp-name': encoded(subject) }),
  };
}

/** Rejects if there is no answer in time. */
async function within<Value>(answer: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('no answer')), answerMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function listTools(send: Send): Promise<readonly JsonObject[]> {
  const { result } = await send({ jsonrpc: '2.0', id: 'tools', method: 'tools/list', params: {} });
  return (result as JsonObject)['tools'] as readonly JsonObject[];
}

function isInternal({ error, result }: JsonObject): boolean {
  if (isObject(error)) return error['message'] === 'Internal error';
  return (
    isObject(result) &&
    result['isError'] === true &&
    JSON.stringify(result['content']).includes('"Internal error"')
  );
}

async function memory(program: Program): Promise<{ readonly heap: number; readonly resident: number }> {
  const seen = program.stderr.length;
  program.child.kill('SIGUSR2');
  const [, heap, resident] = await program.untilStderr(
    new RegExp(`^[^]{${seen}}[^]*?heap (\\d+) resident (\\d+)`),
  );
  return { heap: Number(heap), resident: Number(resident) };
}

/** The end makes each id different. */
function idOf(number: number, random: Random): string | number {
  return random.pick<string | number>([number, `id ${number}`, `${'👋'.repeat(random.below(20))}${number}`]);
}

interface Parts {
  readonly random: Random;
  readonly known: KnownValues;
  readonly tools: readonly JsonObject[];
  readonly flood: CallFlood;
}

function toolCall({ random, known, tools, flood }: Parts): JsonObject {
  const { name, inputSchema } = random.pick(tools);
  const args = valueFor(inputSchema as JsonObject, 'arguments', random, known);
  return request('tools/call', { name: name!, arguments: args as JsonObject }, flood, random);
}

/** Parameters of all methods. Each gets some of its own, and some of others. */
const parameters: Readonly<Record<string, JsonObject>> = {
  name: { type: 'string' },
  uri: { type: 'string' },
  cursor: { anyOf: [{ type: 'string' }, { type: 'null' }, { enum: ['', '0', '1', '99999999'] }] },
  arguments: { type: 'object', additionalProperties: { type: 'string' } },
  level: { enum: ['debug', 'info', 'error', 'loud'] },
  ref: {
    type: 'object',
    required: ['type'],
    properties: {
      type: { enum: ['ref/prompt', 'ref/resource', 'ref'] },
      name: { type: 'string' },
      uri: { type: 'string' },
    },
  },
  argument: {
    type: 'object',
    required: ['name', 'value'],
    properties: { name: { type: 'string' }, value: { type: 'string' } },
  },
  context: {
    type: 'object',
    properties: { arguments: { type: 'object', additionalProperties: { type: 'string' } } },
  },
  offset: { type: 'integer' },
  limit: { type: 'integer' },
  taskId: { type: 'string' },
  title: { type: 'string' },
  description: { type: 'string' },
  text: { type: 'string' },
  messages: {
    type: 'array',
    items: {
      type: 'object',
      required: ['role', 'content'],
      properties: {
        role: { enum: ['user', 'assistant', 'system'] },
        content: {
          type: 'object',
          required: ['type', 'text'],
          properties: { type: { enum: ['text', 'image'] }, text: { type: 'string' } },
        },
      },
    },
  },
  protocolVersion: { enum: ['2025-11-25', '2024-11-05', '1900-01-01'] },
  capabilities: { type: 'object', properties: { roots: { type: 'object' } } },
  clientInfo: { type: 'object', properties: { name: { type: 'string' }, version: { type: 'string' } } },
  path: { type: 'string' },
};
const methodSchema: JsonObject = { type: 'object', properties: parameters };

function methodCall({ random, known, flood }: Parts): JsonObject {
  const names = [...contracts[flood.contract].methods].filter((name) => name !== 'subscriptions/listen');
  const method =
    random.below(20) === 0 ? random.pick(['constructor', '', 'a'.repeat(300)]) : random.pick(names);
  const params = valueFor(methodSchema, 'params', random, known);
  // Other values are no JSON-RPC, and the flood of envelopes has them.
  return request(method, isObject(params) ? (params as JsonObject) : {}, flood, random);
}

function envelope({ random, known, flood }: Parts): JsonObject {
  const { methods } = contracts[flood.contract];
  const method = random.pick([...methods].filter((name) => name !== 'subscriptions/listen'));
  const odd = (value: unknown) => (random.below(6) === 0 ? anything(random) : value);
  const params = valueFor(methodSchema, 'params', random, known);
  return {
    jsonrpc: odd('2.0') as string,
    method: odd(method) as string,
    params: odd({
      ...(isObject(params) && params),
      ...(random.below(2) === 0 && {
        _meta: odd({
          [`${prefix}protocolVersion`]: odd(random.pick([modern, '2025-11-25', '1900-01-01'])),
          [`${prefix}clientCapabilities`]: odd({}),
          [`${prefix}clientInfo`]: odd({ name: odd('fuzz'), version: odd('1') }),
          [`${prefix}logLevel`]: odd('debug'),
          progressToken: odd('token'),
        }),
      }),
      ...(random.below(8) === 0 && { inputResponses: anything(random), requestState: anything(random) }),
    }) as JsonObject,
    ...(random.below(8) === 0 && {
      result: anything(random) as JsonObject,
      error: anything(random) as JsonObject,
    }),
  };
}

/** Over HTTP, half of the requests are of the revision without sessions, where the contract supports it. */
function request(
  method: string,
  params: JsonObject,
  { contract, transport }: CallFlood,
  random: Random,
): JsonObject {
  const isModern = transport === 'http' && contracts[contract].modern && random.below(2) === 0;
  const meta = { [`${prefix}protocolVersion`]: modern, [`${prefix}clientCapabilities`]: {} };
  return { jsonrpc: '2.0', method, params: isModern ? { ...params, _meta: meta } : params };
}
