import type { JsonObject } from '../json.ts';
import type { ToolDescription } from '../tool.ts';

/** A discovery tool as clients see it. The engine runs it, because it needs the tools of the connection. */
export type DiscoveryTool = ToolDescription & {
  readonly name: 'search_tools' | 'query_tool' | 'call_tool';
};

const callArguments = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, description: 'Tool name' },
    arguments: {
      type: 'object',
      default: {},
      description: 'Arguments of that tool',
    },
  },
} as const;

export const discoveryTools: readonly DiscoveryTool[] = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds further tools by what they do, for example "edit a prompt", "add a calendar" or "quiet hours". Use it when no listed tool fits. Returns the best matches with name and description, and whether to call each with query_tool or call_tool; the first two with their input schema. Search for the name of another to get its schema.',
    inputSchema: {
      type: 'object',
      required: ['query'],
      properties: {
        query: { type: 'string', minLength: 1, description: 'What you want to do, in a few words.' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 20,
          default: 5,
          description: 'Maximum number of tools to return.',
        },
      },
    },
    outputSchema: {
      type: 'object',
      required: ['tools'],
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            required: ['name', 'description', 'call_with'],
            properties: {
              name: { type: 'string' },
              description: { type: 'string' },
              input_schema: { type: 'object' },
              call_with: { enum: ['query_tool', 'call_tool'] },
            },
          },
        },
        note: { type: 'string' },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'query_tool',
    title: 'Call a read-only tool',
    description:
      'Calls a tool that only reads data and returns its result. Tools that change something need call_tool.',
    inputSchema: callArguments,
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  {
    name: 'call_tool',
    title: 'Call any tool',
    description:
      'Calls any tool found with search_tools, also one that changes data, starts an agent or reaches the network. Prefer query_tool for tools that only read.',
    inputSchema: callArguments,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  },
];

/** Tools that everyday requests need, with what a model must know to call them without a search. */
const everyday: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query_tool: {
    find_time: 'people, duration_minutes, from, to, hours; without duration_minutes: who is busy',
    get_event: 'event_id: id or title; has the answers of guests',
  },
  call_tool: {
    update_event:
      'event_id: id or title; occurrence: a date of a series; fields of create_event to change; add_attendees',
    delete_event: 'event_id, occurrence',
    send_message: 'who, text',
    update_user:
      'user_id, quiet_start, quiet_end, pause_from, pause_to (last day), channel_pref, phone_e164, email',
    undo_change: 'your last change',
  },
};

/** Adds those of them that the connection may call to the description of the tool that calls them. */
export function withEveryday(tool: DiscoveryTool, isAvailable: (name: string) => boolean): DiscoveryTool {
  const known = Object.entries(everyday[tool.name] ?? {}).filter(([name]) => isAvailable(name));
  if (known.length === 0) return tool;
  const list = known.map(([name, needs]) => `${name} (${needs})`).join(', ');
  return { ...tool, description: `${tool.description} Without a search: ${list}.` };
}

/** How many results have their input schema: schemas are long, and the right tool is among the first. */
const withSchema = 2;

/** The answer of search_tools: what a client needs to call the best matches. */
export function foundTools(
  tools: readonly ToolDescription[],
  fits: boolean,
  schemaOf: (tool: ToolDescription) => JsonObject,
): JsonObject {
  const found = tools.map((tool, place) => ({
    name: tool.name,
    description: tool.description,
    ...(place < withSchema && { input_schema: schemaOf(tool) }),
    call_with: tool.annotations?.readOnlyHint === true ? 'query_tool' : 'call_tool',
  }));
  if (found.length === 0) return { tools: [], note: `No tool fits. ${nothingFits}` };
  if (!fits) return { tools: found, note: `Probably none of these fits. ${nothingFits}` };
  return found.length > withSchema
    ? { tools: found, note: 'Search for the name of a tool without input_schema to get its schema.' }
    : { tools: found };
}

const nothingFits =
  'Try other words for what should happen, or tell the user that it cannot be done with these tools. Access tokens, settings and the connection of clients are changed on the page (adjutant open) or on the command line (adjutant --help).';
