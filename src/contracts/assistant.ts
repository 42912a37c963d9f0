import type { FailureKind } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { ToolResult } from '../tool.ts';
import type { Contract } from './contract.ts';
import { type DocumentText, withDocumentTexts } from './document-texts.ts';
import { codes, standard } from './standard.ts';

const documentedTemplates: ReadonlySet<string> = new Set([
  'resources://users/{user_id}',
  'resources://events/{event_id}',
  'resources://users/{user_id}/events',
]);

/** Methods of capabilities that the handshake does not announce. */
const unsupportedMethods: ReadonlySet<string> = new Set(['resources/subscribe', 'resources/unsubscribe']);

const toolNames = {
  get_user: 'getUser',
  get_event: 'getEvent',
  list_events: 'listEvents',
  list_notifications: 'listNotifications',
  plan_notifications: 'planNotifications',
};

/** The texts of the document. `standard` describes the same tools in more detail. */
const texts: Readonly<Record<string, DocumentText>> = {
  getUser: { description: 'Get user details by ID', arguments: { user_id: 'User ID' } },
  getEvent: { description: 'Get event details by ID', arguments: { event_id: 'Event ID' } },
  listEvents: {
    description: 'List calendar events with filters',
    arguments: {
      user_id: 'Filter by user ID',
      days_back: 'Days to look back',
      days_forward: 'Days to look forward',
    },
  },
  listNotifications: {
    description: 'List notifications with filters',
    arguments: {
      user_id: 'Filter by user ID',
      status: 'Filter by status',
      days_forward: 'Days to look forward',
      days_back: 'Days to look back',
    },
  },
  planNotifications: {
    description: 'Plan notifications for user events using LLM policy',
    arguments: {
      user_id: 'User ID',
      event_id: 'Plan for this event only',
      force_replan: 'Decide anew what was planned already',
      dry_run: 'Only tell what would change',
    },
  },
};

/** Users, events and notifications. Results are indented JSON, and resource templates are listed as resources. */
export const assistant: Contract = {
  ...standard,
  name: 'assistant',
  server: { name: 'assistant-mcp-server', version: '1.0.0' },
  modern: false,
  failureDetails: false,
  methods: new Set([
    'initialize',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
  ]),
  tools: new Set(Object.keys(toolNames)),
  toolNames,

  negotiate: () => '2024-11-05',
  capabilities: () => ({
    tools: { listChanged: false },
    resources: { subscribe: false, listChanged: false },
    prompts: { listChanged: false },
  }),
  initialized: ({ instructions: _, ...result }) => result,

  toolItem(tool) {
    const { name, description, inputSchema } = withDocumentTexts(tool, texts);
    return { name, description, inputSchema: inputSchema as JsonObject };
  },
  toolResult: (result) => ({
    content: [
      { type: 'text', text: JSON.stringify(result.structured ?? { error: textOf(result) }, null, 2) },
    ],
    isError: result.failed ?? false,
  }),
  promptItem: ({ name, description, arguments: args }) => ({
    name,
    ...(description !== undefined && { description }),
    arguments: args as unknown as JsonObject[],
  }),
  prompt: ({ messages, description }) => ({
    messages: messages.map(({ role, content }) => ({
      role,
      content: content.type === 'text' ? content.text : '',
    })),
    ...(description !== undefined && { description }),
  }),
  resourceItems: (_, templates) =>
    templates
      .filter(({ uriTemplate }) => documentedTemplates.has(uriTemplate))
      .map(({ uriTemplate, name, description, mimeType }) => ({
        uri: uriTemplate,
        name,
        ...(description !== undefined && { description }),
        ...(mimeType !== undefined && { mimeType }),
      })),
  contents: (contents, hash) => ({ ...(contents as unknown as JsonObject), hash }),

  codes: {
    ...codes,
    'tool-not-found': -32601,
    'prompt-not-found': -32601,
    'resource-not-found': -32002,
    'capability-missing': -32001,
    'tool-failed': -32003,
    timeout: -32004,
    cancelled: -32005,
    unavailable: -32000,
  },
  // "Not found" is a tool result, not a protocol error.
  toolErrors: new Set<FailureKind>(['resource-not-found']),
  silent: new Set<FailureKind>(),

  error(failure, code, method) {
    if (failure.kind === 'method-not-found' && unsupportedMethods.has(method))
      return { code: this.codes['capability-missing'], message: `Capability not supported: ${method}` };
    const [issue] = failure.issues;
    if (issue === undefined) {
      const broken =
        method === 'tools/call' && (failure.kind === 'unavailable' || failure.kind === 'internal');
      return { code: broken ? this.codes['tool-failed'] : code, message: failure.message };
    }
    return {
      code,
      message: 'Invalid params',
      data: { path: issue.path, validator: issue.keyword, validator_value: issue.expected },
    };
  },
};

function textOf({ content = [] }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
