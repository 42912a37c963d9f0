import { isObject, type JsonObject } from '../json.ts';
import { nearest } from '../nearest.ts';
import { type Action, type Command, type LocalClient, UsageError, type Use } from './terminal/command.ts';
import { tableText } from './terminal/terminal.ts';
import { withSuggestions } from './terminal/usage-error.ts';

interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: { readonly properties?: Readonly<Record<string, { readonly type?: string }>> };
}

async function allTools(client: LocalClient): Promise<readonly ListedTool[]> {
  const tools: ListedTool[] = [];
  for (let cursor: unknown; ; ) {
    const page = await client.request('tools/list', cursor === undefined ? {} : ({ cursor } as JsonObject));
    tools.push(...(page['tools'] as unknown as ListedTool[]));
    cursor = page['nextCursor'];
    if (cursor === undefined) return tools.sort((one, other) => (one.name < other.name ? -1 : 1));
  }
}

const list: Action = {
  summary: 'List the tools that clients can call, or those that contain some words',
  args: '[WORD…]',
  examples: ['tools list', 'tools list calendar'],
  async run({ connect, words, terminal }) {
    const client = await connect();
    const tools = (await allTools(client)).filter(({ name, title, description }) =>
      words.every((word) => `${name} ${title} ${description}`.toLowerCase().includes(word.toLowerCase())),
    );
    terminal.answer({ tools }, () =>
      tools.length === 0
        ? 'No tools found.'
        : tableText(
            terminal,
            undefined,
            tools.map(({ name, description = '' }) => [name, description.split('. ')[0]]),
          ),
    );
    return 0;
  },
};

const show: Action = {
  summary: 'Show a tool with its arguments',
  args: 'TOOL',
  examples: ['tools show list_events', 'tools show list_events --json'],
  async run({ connect, words: [name], terminal }) {
    const client = await connect();
    const tool = await findTool(client, name!);
    terminal.answer(tool, () => `${tool.description}\n\n${JSON.stringify(tool.inputSchema, null, 2)}`);
    return 0;
  },
};

const call: Action = {
  summary: 'Call a tool, as a client would',
  args: 'TOOL [ARGUMENT…]',
  notes: { ARGUMENT: 'KEY=VALUE, or all arguments as one JSON object' },
  examples: ['tools call list_events query=dentist', `tools call list_runs '{"limit": 3}'`],
  async run(use) {
    const { words, terminal } = use;
    const client = await use.connect();
    const tool = await findTool(client, words[0]!);
    const args = readArguments(use, tool);
    const result = await client.request('tools/call', { name: words[0]!, arguments: args });
    const text = (result['content'] as { text?: string }[]).flatMap((part) => part.text ?? []).join('\n');
    if (result['isError'] === true) throw new Error(text);
    terminal.answer(result['structuredContent'] ?? { text }, text);
    return 0;
  },
};

async function findTool(client: LocalClient, name: string): Promise<ListedTool> {
  const tools = await allTools(client);
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const meant = nearest(
    name,
    tools.map((one) => one.name),
  );
  throw new UsageError(
    withSuggestions(
      `there is no tool "${name}"`,
      meant === undefined ? [] : [`tools show ${meant}`],
      'tools list',
    ),
  );
}

function readArguments({ words: [, ...given] }: Use, tool: ListedTool): JsonObject {
  const [first = ''] = given;
  if (given.length === 1 && first.startsWith('{')) {
    const value = parseValue(first);
    if (isObject(value)) return value as JsonObject;
    throw new UsageError(`${first} is not a JSON object, such as {"limit": 3}`);
  }
  return Object.fromEntries(
    given.map((pair) => {
      const [, key, text] = /^(\w+)=(.*)$/s.exec(pair) ?? [];
      if (key === undefined) throw new UsageError(`"${pair}" is not of the form KEY=VALUE`);
      // Only a text can be written as it is.
      const isText = tool.inputSchema.properties?.[key]?.type === 'string';
      return [key, isText ? text! : parseValue(text!)];
    }),
  );
}

function parseValue(text: string): JsonObject[string] {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export const tools: Command = {
  name: 'tools',
  summary: 'See and call the tools that clients use',
  actions: { list, show, call },
};
