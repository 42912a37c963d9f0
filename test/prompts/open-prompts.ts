import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import type { JsonObject } from '../../src/json.ts';
import { createPrompts, type PromptDocuments, type PromptsOptions } from '../../src/prompts/prompts.ts';
import { createRecords } from '../../src/store/records.ts';
import { connectMemory, type MemoryOptions } from '../../src/transports/memory.ts';
import { plantTree } from '../tree.ts';

export const command = (body: string, fields = '') =>
  `---\ndescription: From a command\n${fields}---\n${body}\n`;
export const record = (name: string, text: string, more: object = {}) =>
  `${JSON.stringify({ name, title: `Title of ${name}`, messages: [{ role: 'user', content: { type: 'text', text } }], ...more })}\n`;

export const library = {
  'commands/research.md': command('Research {{input}}'),
  'prompts/user.jsonl': record('greet', 'Hello {{who}}', {
    arguments: [{ name: 'who', required: true }],
    tags: ['social'],
  }),
  'libraries/Code/twig.toml':
    '[prompts.review]\ndescription = "Reviews"\narguments = [{ name = "code", required = true }, { name = "language", values = ["go", "Python", "php"] }]\n',
  'libraries/Code/prompts/review.md': 'Review {{ language or "some" }} code: {{ code }}',
};

/** The folders and the database of prompts in a home folder. */
export function placesIn(home: string): PromptsOptions & PromptDocuments {
  const documents = createRecords(join(home, 'adjutant.db'));
  return {
    commandsDir: join(home, 'commands'),
    jsonlDir: join(home, 'prompts'),
    twigDir: join(home, 'libraries'),
    userHome: home,
    documents,
    localDocuments: documents,
  };
}

/** A server with a prompt library, and an initialized client. */
export interface PromptServer {
  readonly home: string;
  readonly server: Server;
  call(tool: string, args?: JsonObject): Promise<JsonObject>;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
}

export function openPrompts(
  files: Readonly<Record<string, string>> = library,
  options: MemoryOptions = {},
  capabilities: JsonObject = {},
  clientName = 'tester',
  more: Partial<PromptsOptions> = {},
): PromptServer {
  return serve(plantTree(files), more, options, capabilities, clientName);
}

function serve(
  home: string,
  more: Partial<PromptsOptions>,
  options: MemoryOptions = {},
  capabilities: JsonObject = {},
  clientName = 'tester',
): PromptServer {
  const feature = createPrompts({ ...placesIn(home), ...more });
  const server = new Server({ contract: standard, features: [feature] });
  onTestFinished(() => server.close());
  const client = connectMemory(server, options);
  const started = client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: clientName, version: '1' },
  });
  const request = async (method: string, params?: JsonObject) => {
    await started;
    return client.request(method, params);
  };
  return {
    home,
    server,
    request,
    call: async (name, args = {}) => request('tools/call', { name, arguments: args }),
  };
}

export const textOf = (result: JsonObject) =>
  (result['messages'] as { content: { text: string } }[])[0]!.content.text;
export const namesOf = (result: JsonObject) =>
  (result['prompts'] as { name: string }[]).map(({ name }) => name);
export const structured = (result: JsonObject) => result['structuredContent'] as JsonObject;
export const resultText = (result: JsonObject) => (result['content'] as { text: string }[])[0]!.text;

/** Serves one mounted folder. `get` calls `prompts/get`; `expand` calls `expand_prompt` with free text. */
export function openMounted(format: string, files: Readonly<Record<string, string>>, version?: string) {
  const home = plantTree({});
  const mounted = plantTree(files);
  const { request } = serve(home, {
    mounts: [{ format, path: mounted, ...(version !== undefined && { version }) }],
  });
  return {
    folder: mounted,
    get: async (name: string, args: JsonObject) =>
      textOf(await request('prompts/get', { name, arguments: args })),
    expand: async (command: string, input: string) =>
      resultText(await request('tools/call', { name: 'expand_prompt', arguments: { command, input } })),
  };
}
