import { createServer } from '../src/app.ts';
import { loadConfig } from '../src/config.ts';
import type { ContractName } from '../src/contracts/contract.ts';
import { Server } from '../src/engine/server.ts';
import type { Feature } from '../src/feature.ts';
import type { JsonObject } from '../src/json.ts';
import type { Access } from '../src/toolsets/access.ts';
import { connectMemory } from '../src/transports/memory.ts';

/** What each request other than tools/call does, as the tool that does the same. */
const otherWays: readonly (readonly [tool: string, method: string, params: JsonObject])[] = [
  ['create_prompt', 'prompts/create', { name: 'a', text: 'b' }],
  ['update_prompt', 'prompts/update', { name: 'a', text: 'b' }],
  ['delete_prompt', 'prompts/delete', { name: 'a' }],
  ['list_prompts', 'prompts/list', {}],
  ['expand_prompt', 'prompts/get', { name: 'prompts-only' }],
  ['expand_prompt', 'completion/complete', completion({ type: 'ref/prompt', name: 'prompts-only' })],
  ['collect_run', 'tasks/get', { taskId: 'a' }],
  ['delegate_run', 'tasks/update', { taskId: 'a' }],
  ['cancel_run', 'tasks/cancel', { taskId: 'a' }],
  ['show_run', 'resources/read', { uri: 'runs://a/result.json' }],
  ['get_user', 'resources/read', { uri: 'resources://users/a' }],
  ['get_event', 'resources/read', { uri: 'resources://events/a' }],
  ['list_events', 'resources/read', { uri: 'resources://users/a/events' }],
  ['list_notifications', 'resources/read', { uri: 'resources://users/a/notifications' }],
  ['list_users', 'resources/list', {}],
  ['list_users', 'completion/complete', resourceCompletion('resources://users/{user_id}')],
  ['list_events', 'completion/complete', resourceCompletion('resources://events/{event_id}')],
];

function completion(ref: JsonObject): JsonObject {
  return { ref, argument: { name: 'user_id', value: '' } };
}
function resourceCompletion(uri: string): JsonObject {
  return completion({ type: 'ref/resource', uri });
}

const schemes: Readonly<Record<string, string>> = { delegate: 'runs://', assistant: 'resources://' };

/** Keeps names, annotations and providers, but records what is reached instead of doing it. */
function recording(features: readonly Feature[], reached: Set<string>): readonly Feature[] {
  const record = async <Answer>(what: string, answer: Answer): Promise<Answer> => {
    reached.add(what);
    return answer;
  };
  return features.map((feature) => ({
    name: feature.name,
    extensions: feature.extensions ?? {},
    ...(feature.tools && {
      tools: feature.tools.map(({ acceptedSchema: _, ...tool }) => ({
        ...tool,
        inputSchema: { type: 'object' },
        call: () => record(tool.name, {}),
      })),
    }),
    ...(feature.methods && {
      methods: Object.fromEntries(
        Object.keys(feature.methods).map((name) => [
          name,
          { paramsSchema: { type: 'object' }, call: () => record(name, {}) },
        ]),
      ),
    }),
    ...(feature.prompts && {
      prompts: {
        list: () => record(`${feature.name} prompts/list`, []),
        get: () => record(`${feature.name} prompts/get`, { messages: [] }),
        complete: () => record(`${feature.name} prompts/complete`, []),
      },
    }),
    ...(feature.resources && {
      resources: {
        templates: feature.resources.templates ?? [],
        list: async () => [{ uri: `${schemes[feature.name]}users/a`, name: 'a' }],
        read: async (uri: string) =>
          uri.startsWith(schemes[feature.name]!) ? record(uri, [{ uri, text: '' }]) : undefined,
        complete: (template: string) => record(template, []),
      },
    }),
  }));
}

/** Opens a server whose features only record what is reached. */
export async function openRecorded(home: string, contract: ContractName, ...flags: string[]) {
  const { config } = await loadConfig({ argv: ['--home', home, ...flags], env: { HOME: home }, cwd: home });
  const real = createServer(contract, config);
  const reached = new Set<string>();
  const features = recording(real.features, reached);
  const server = new Server({ contract: real.contract, features, access: real.access });
  const close = async () => {
    await server.close();
    await real.close();
  };
  return { server, reached, tools: [...real.offeredTools.values()], close };
}

export type Recorded = Awaited<ReturnType<typeof openRecorded>>;
export type Exchange = (method: string, params: JsonObject) => Promise<unknown>;

const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': capabilities,
};

export function inMemory(server: Server, access: Access): Exchange {
  const client = connectMemory(server, { access });
  let id = 0;
  return (method, params) =>
    client.exchange({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta: envelope } });
}

/** Tries every tool by every way and returns the tools that were reached. */
export async function reachable(
  { server, reached, tools }: Recorded,
  exchange: Exchange,
): Promise<readonly string[]> {
  const found = new Set<string>();
  const attempt = async (tool: string, method: string, params: JsonObject) => {
    reached.clear();
    const reply = (await exchange(method, params)) as { result?: JsonObject };
    // Lists are reached if they show something.
    const listed = reply.result?.[method === 'resources/list' ? 'resources' : ''];
    if (method === 'resources/list') {
      if (JSON.stringify(listed ?? []).includes('resources://users/a"')) found.add(tool);
    } else if (method.startsWith('prompts/') || method === 'completion/complete') {
      if ([...reached].some((what) => !what.startsWith('assistant'))) found.add(tool);
    } else if (reached.size > 0) found.add(method === 'tools/call' ? [...reached][0]! : tool);
  };
  for (const { name } of tools.map(({ named }) => named)) {
    await attempt(name, 'tools/call', { name, arguments: {} });
    for (const by of ['call_tool', 'query_tool'])
      await attempt(name, 'tools/call', { name: by, arguments: { name } });
  }
  for (const [tool, method, params] of otherWays)
    if (server.contract.methods.has(method)) await attempt(tool, method, params);
  return [...found].toSorted();
}
