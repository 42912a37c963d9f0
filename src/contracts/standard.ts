import type { Content } from '../content.ts';
import type { FailureKind } from '../failure.ts';
import { Failure } from '../failure.ts';
import type { PromptArgument } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { ToolDescription, ToolResult } from '../tool.ts';
import { version } from '../version.ts';
import { showsApps, viewMeta } from './app-views.ts';
import type { Contract } from './contract.ts';
import { instructionsFor } from './instructions.ts';
import { portableSchema } from './portable-schema.ts';

/** A bookmark with a tick: prompts and tasks that are taken care of. */
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path fill="#2563eb" d="M5 2h14v20l-7-5-7 5z"/><path fill="none" stroke="#fff" stroke-width="2" d="m8 9 3 3 5-6"/></svg>';

/** The icon of the server, for clients that show one. */
const icon = {
  src: `data:image/svg+xml,${encodeURIComponent(svg)}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
};

/** Revisions that begin with `initialize`, newest first. */
export const legacyVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
export const modernVersion = '2026-07-28';

export const codes = {
  'parse-error': -32700,
  'invalid-request': -32600,
  'unsupported-version': -32022,
  'method-not-found': -32601,
  'tool-not-found': -32602,
  'prompt-not-found': -32602,
  'resource-not-found': -32602,
  'invalid-params': -32602,
  'missing-argument': -32602,
  'content-missing': -32603,
  'render-failed': -32603,
  conflict: -32602,
  refused: -32602,
  'capability-missing': -32021,
  'tool-failed': -32603,
  timeout: -32603,
  cancelled: -32603,
  unavailable: -32603,
  internal: -32603,
} as const satisfies Record<FailureKind, number>;

/** Plain, current MCP. The other contracts spread this one and override the differences in their documents. */
export const standard: Contract = {
  name: 'standard',
  server: { name: 'adjutant', title: 'Adjutant', version },
  instructions: instructionsFor,
  modern: true,
  methods: new Set([
    'initialize',
    'ping',
    'server/discover',
    'subscriptions/listen',
    'logging/setLevel',
    'completion/complete',
    'tools/list',
    'tools/call',
    'prompts/list',
    'prompts/get',
    'prompts/create',
    'prompts/update',
    'prompts/delete',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'tasks/update',
    'tasks/cancel',
    'skills/list',
    'skills/get',
    'resources/directory/read',
  ]),
  // Many clients read the first page only.
  pageSize: 1000,

  negotiate: (requested) => legacyVersions.find((known) => known === requested) ?? legacyVersions[0],

  capabilities: (offer) => ({
    logging: {},
    ...(offer.completions && { completions: {} }),
    ...(offer.tools && { tools: { listChanged: true } }),
    ...(offer.prompts && {
      prompts: {
        listChanged: true,
        ...('adjutant/prompt-management' in offer.extensions && { mutable: true }),
      },
    }),
    ...(offer.resources && { resources: { subscribe: true, listChanged: true } }),
    ...(Object.keys(offer.extensions).length > 0 && { extensions: offer.extensions }),
  }),

  // Revisions before 2025-11-25 have no icons. Only the server has one: an icon for every tool would double the list.
  initialized: (result) =>
    result['protocolVersion'] === legacyVersions[0]
      ? { ...result, serverInfo: { ...(result['serverInfo'] as JsonObject), icons: [icon] } }
      : result,

  startOf(cursor) {
    if (cursor === undefined || cursor === null || cursor === '') return 0;
    if (typeof cursor === 'string' && /^\d{1,9}$/.test(cursor)) return Number(cursor);
    throw new Failure('invalid-params', 'The cursor was not issued by this server; start again without one.');
  },
  nextCursor: (next) => (next === undefined ? {} : { nextCursor: next }),

  showsViews: showsApps,

  toolItem(tool, capabilities = {}) {
    const { searchHint, alwaysLoad, view, appOnly } = tool;
    // The model does not see it, and views know its arguments.
    if (appOnly)
      return { name: tool.name, inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['app'] } } };
    const meta = {
      ...(view !== undefined && showsApps(capabilities) && viewMeta(view)),
      ...(alwaysLoad && { 'anthropic/alwaysLoad': true }),
      ...(searchHint !== undefined && { 'anthropic/searchHint': searchHint }),
    };
    return {
      ...toolItem(tool),
      inputSchema: portableSchema(tool.inputSchema),
      ...(Object.keys(meta).length > 0 && { _meta: meta }),
    };
  },

  toolResult: (result) => ({
    content: contentOf(result) as unknown as JsonObject[],
    ...(result.structured !== undefined && { structuredContent: result.structured as JsonObject }),
    ...(result.failed && { isError: true }),
    ...(result.meta !== undefined && { _meta: result.meta }),
  }),

  promptItem: (prompt) => ({
    name: prompt.name,
    ...(prompt.title !== undefined && { title: prompt.title }),
    ...(prompt.description !== undefined && { description: prompt.description }),
    arguments: prompt.arguments as unknown as JsonObject[],
    inputSchema: argumentsSchema(prompt.arguments),
    ...(prompt.meta !== undefined && { _meta: prompt.meta }),
  }),

  prompt: (rendered) => ({
    ...(rendered.description !== undefined && { description: rendered.description }),
    messages: rendered.messages.map((message) => ({
      role: message.role === 'assistant' ? 'assistant' : 'user',
      content: message.content as unknown as JsonObject,
    })),
    ...(rendered.meta !== undefined && { _meta: rendered.meta }),
  }),

  resourceItems: (resources) => resources as unknown as JsonObject[],
  contents({ meta, ...contents }, hash) {
    const own = meta ?? { 'adjutant/hash': hash };
    return { ...contents, hash, ...(Object.keys(own).length > 0 && { _meta: own }) };
  },

  codes,
  toolErrors: new Set<FailureKind>([
    'prompt-not-found',
    'resource-not-found',
    'invalid-params',
    'missing-argument',
    'content-missing',
    'render-failed',
    'conflict',
    'refused',
    'tool-failed',
    'timeout',
    'unavailable',
    'internal',
  ]),
  failureDetails: true,
  silent: new Set<FailureKind>(['cancelled']),

  error: (failure, code) => ({
    code,
    message: failure.message,
    ...(failure.data !== undefined
      ? { data: failure.data }
      : failure.issues.length > 0 && { data: { issues: failure.issues } }),
  }),
};

/** The list entry of a tool, with its original schemas. */
export function toolItem(tool: ToolDescription): JsonObject {
  return {
    name: tool.name,
    ...(tool.title !== undefined && { title: tool.title }),
    description: tool.description,
    inputSchema: tool.inputSchema as JsonObject,
    ...(tool.outputSchema !== undefined && { outputSchema: tool.outputSchema as JsonObject }),
    ...(tool.annotations !== undefined && { annotations: { ...tool.annotations } }),
  };
}

function contentOf(result: ToolResult): readonly Content[] {
  return result.content ?? [{ type: 'text', text: JSON.stringify(result.structured ?? {}) }];
}

/** A JSON Schema of the arguments, for clients that build a form from it. MCP has only a list of arguments. */
export function argumentsSchema(args: readonly PromptArgument[]): JsonObject {
  const required = args.filter((argument) => argument.required).map((argument) => argument.name);
  return {
    type: 'object',
    properties: Object.fromEntries(
      args.map(({ name, description }) => [
        name,
        { type: 'string', ...(description !== undefined && { description }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}
