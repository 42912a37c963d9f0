import type { JsonObject } from '../src/json.ts';
import { importComponent } from './components.ts';

export const clientKinds = ['v1', 'v2', 'v2 at 2026-07-28'] as const;
export type ClientKind = (typeof clientKinds)[number];

/** How to reach a server: a program to start, or a URL. */
export type Target =
  | { readonly command: string; readonly args: readonly string[]; readonly env?: Record<string, string> }
  | { readonly url: string; readonly headers?: Record<string, string> };

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: { readonly progress: number }) => void;
}
type Answer = Promise<Readonly<Record<string, unknown>>>;

/** The common interface of both generations of the official client. */
export interface OfficialClient extends AsyncDisposable {
  listTools(): Answer;
  listPrompts(): Answer;
  listResources(): Answer;
  listResourceTemplates(): Answer;
  getPrompt(params: object): Answer;
  readResource(params: object): Answer;
  complete(params: object): Answer;
  callTool(params: object, options?: CallOptions): Answer;
  getServerCapabilities(): Readonly<Record<string, JsonObject>>;
  getServerVersion(): Readonly<Record<string, string>>;
  /** Calls `changed` for every notification that a list has changed. */
  watch(kind: 'tools' | 'prompts', changed: () => void): Promise<void>;
}

type Constructor<Instance> = new (...args: readonly unknown[]) => Instance;
interface RawClient extends Omit<OfficialClient, 'callTool' | 'watch' | typeof Symbol.asyncDispose> {
  connect(transport: unknown): Promise<void>;
  close(): Promise<void>;
  listen?(filter: object): Promise<unknown>;
  callTool(...args: readonly unknown[]): Answer;
  setRequestHandler(what: unknown, handler: () => Promise<object>): void;
  setNotificationHandler(what: unknown, handler: () => void): void;
}
interface Generation {
  readonly Client: Constructor<RawClient>;
  readonly StdioClientTransport: Constructor<object>;
  readonly StreamableHTTPClientTransport: Constructor<object>;
  /** How a client refers to a method: by a schema (v1) or by its name (v2). */
  named(method: string): unknown;
}

async function generation(kind: ClientKind): Promise<Generation> {
  if (kind !== 'v1') {
    const modules = ['@modelcontextprotocol/client', '@modelcontextprotocol/client/stdio'];
    const [client, stdio] = await Promise.all(modules.map(importComponent));
    return { ...client, ...stdio, named: (method: string) => method } as Generation;
  }
  const sdk = (path: string) => importComponent(`@modelcontextprotocol/sdk/${path}.js`);
  const [client, stdio, http, types] = await Promise.all(
    ['client/index', 'client/stdio', 'client/streamableHttp', 'types'].map(sdk),
  );
  const schemas: Readonly<Record<string, string>> = {
    'elicitation/create': 'ElicitRequestSchema',
    'sampling/createMessage': 'CreateMessageRequestSchema',
    'roots/list': 'ListRootsRequestSchema',
    'notifications/tools/list_changed': 'ToolListChangedNotificationSchema',
    'notifications/prompts/list_changed': 'PromptListChangedNotificationSchema',
  };
  return { ...client, ...stdio, ...http, named: (method: string) => types![schemas[method]!] } as Generation;
}

/** The client's answers to questions of the server. */
const answers: Readonly<Record<string, object>> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ada', username: 'ada', email: 'a@b.example' } },
  'sampling/createMessage': {
    role: 'assistant',
    content: { type: 'text', text: 'Paris' },
    model: 'none',
    stopReason: 'endTurn',
  },
  'roots/list': { roots: [{ uri: 'file:///somewhere', name: 'Somewhere' }] },
};

export async function connectOfficial(kind: ClientKind, target: Target): Promise<OfficialClient> {
  const { Client, StdioClientTransport, StreamableHTTPClientTransport, named } = await generation(kind);
  const raw = new Client(
    { name: 'official', version: '1' },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      ...(kind === 'v2 at 2026-07-28' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  for (const [method, answer] of Object.entries(answers))
    raw.setRequestHandler(named(method), async () => answer);
  await raw.connect(
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url), {
          requestInit: { headers: target.headers ?? {} },
        })
      : new StdioClientTransport({ ...target, stderr: 'pipe' }),
  );
  const pass = <Name extends keyof RawClient>(name: Name) => (raw[name] as () => never).bind(raw);
  return {
    listTools: pass('listTools'),
    listPrompts: pass('listPrompts'),
    listResources: pass('listResources'),
    listResourceTemplates: pass('listResourceTemplates'),
    getPrompt: pass('getPrompt'),
    readResource: pass('readResource'),
    complete: pass('complete'),
    getServerCapabilities: pass('getServerCapabilities'),
    getServerVersion: pass('getServerVersion'),
    callTool: (params, options) =>
      kind === 'v1' ? raw.callTool(params, undefined, options) : raw.callTool(params, options),
    async watch(what, changed) {
      raw.setNotificationHandler(named(`notifications/${what}/list_changed`), changed);
      if (kind === 'v2 at 2026-07-28') await raw.listen?.({ [`${what}ListChanged`]: true });
    },
    [Symbol.asyncDispose]: () => raw.close(),
  };
}
