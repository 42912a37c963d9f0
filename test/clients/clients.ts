import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/json.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { startScriptedModel } from '../model/scripted-model.ts';
import type { Turn } from '../model/turn.ts';

export type ClientModel = Omit<Model, 'config'> & Partial<Pick<Model, 'config'>>;

/** A tool as the client describes it to the model. */
export interface OfferedTool {
  readonly name: string;
  readonly schema: JsonObject;
}

/** How a real client is connected to a model on loopback, and what its requests look like. */
export interface RealClient {
  /** Name for `adjutant install`. */
  readonly id: string;
  readonly npmPackage: string;
  readonly program: string;
  startModel(): Promise<ClientModel>;
  /** Adds what the client needs beside the entry that `adjutant install` wrote. */
  configure?(home: string, model: ClientModel): void;
  env?(model: ClientModel): Readonly<Record<string, string>>;
  /** Arguments for one turn without a terminal. */
  task(text: string, home: string): readonly string[];
  /** Arguments that invoke the installed prompt `greet` with the typed text. */
  nativePrompt(typed: string, home: string): readonly string[];
  /** Arguments that send a message, for clients whose hook expands `:name` in it. */
  hookTask?(text: string): readonly string[];
  /** The text that the model must receive for the body of the prompt, after escaping. */
  nativeText(body: string, typed: string): string;
  /** The call of one of our tools as this client's model writes it. */
  call(tool: string, args: object): Turn;
  /** If the client may defer tools: the calls with which its model loads the schemas of our tools. */
  load?(tools: readonly string[]): readonly Turn[];
  /** Our tools in a request, with their own names. */
  offered(body: Body): readonly OfferedTool[];
}

export type Body = Readonly<Record<string, unknown>>;

const unescaped = (body: string, typed: string) => `Say hello to ${typed}. ${body}`;
const jsonWith = (file: string, more: object) =>
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));
const chatTool = ({ function: tool }: ChatTool): OfferedTool => ({
  name: tool.name,
  schema: tool.parameters,
});

interface ChatTool {
  readonly function: { readonly name: string; readonly parameters: JsonObject };
}

const selection = (tools: readonly string[]) =>
  `select:${tools.map((name) => `mcp__adjutant__${name}`).join(',')}`;

/** A tool in the text that Qwen's tool search returns. */
function foundTool([, json = '']: readonly string[]): OfferedTool {
  const { name, parametersJsonSchema } = JSON.parse(json) as GeminiTool;
  return { name, schema: parametersJsonSchema };
}

/** All text of a request, without the escapes of JSON. */
export function textsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? Object.values(value).map(textsOf).join('\n') : '';
}

/** Removes the client's prefix and leaves out the client's own tools. */
function ours(prefix: string, tools: readonly OfferedTool[]): readonly OfferedTool[] {
  return tools
    .filter(({ name }) => name.startsWith(prefix))
    .map((tool) => ({ ...tool, name: tool.name.slice(prefix.length) }));
}

const codex: RealClient = {
  id: 'codex',
  npmPackage: '@openai/codex',
  program: 'codex',
  startModel: startResponsesModel,
  configure(home, { config }) {
    const file = join(home, '.codex', 'config.toml');
    // In TOML, top-level settings must come before all tables.
    writeFileSync(file, `${config}\n${readFileSync(file, 'utf8')}`);
  },
  task: (text, home) => ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-C', home, text],
  nativePrompt: (typed, home) => codex.task(`$adjutant-greet ${typed}`, home),
  // Codex adds the file of a skill beside the typed text.
  nativeText: (body) => `Say hello to <input>. ${body}\n\nIn this text, <input> stands for the words after`,
  call: (tool, args) => ({ tool, server: 'adjutant', arguments: args }),
  offered: (body) =>
    ((body['tools'] ?? []) as { name?: string; tools?: { name: string; parameters: JsonObject }[] }[])
      .filter(({ name }) => name === 'mcp__adjutant')
      .flatMap(({ tools = [] }) => tools.map(({ name, parameters }) => ({ name, schema: parameters }))),
};

const claude: RealClient = {
  id: 'claude',
  npmPackage: '@anthropic-ai/claude-code',
  program: 'claude',
  startModel: startMessagesModel,
  env: ({ url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  task: (text) => ['-p', '--allowedTools', 'mcp__adjutant', '--', text],
  nativePrompt: (typed) => ['-p', `/adjutant:greet ${typed}`],
  hookTask: (text) => ['-p', text],
  nativeText: (body, typed) =>
    unescaped(body.replace('!`', '! `').replace('@{', '@ {').replace('@f', '@ f'), typed),
  call: (tool, args) => ({ tool, server: 'adjutant', arguments: args }),
  // Newer versions load a limited number with one search.
  load: (tools) =>
    Array.from({ length: Math.ceil(tools.length / 30) }, (_, index) => {
      const some = tools.slice(index * 30, index * 30 + 30);
      return { tool: 'ToolSearch', arguments: { query: selection(some), max_results: some.length } };
    }),
  offered: (body) =>
    ours(
      'mcp__adjutant__',
      ((body['tools'] ?? []) as { name: string; input_schema: JsonObject }[]).map((tool) => ({
        name: tool.name,
        schema: tool.input_schema,
      })),
    ),
};

const bracesEscaped = (body: string, typed: string) =>
  unescaped(body.replace('!{', '! {').replace('@{', '@ {').replace('{{args', '{ {args'), typed);

const gemini: RealClient = {
  id: 'gemini',
  npmPackage: '@google/gemini-cli',
  program: 'gemini',
  startModel: startScriptedModel,
  configure(home) {
    const auth = { selectedType: 'gemini-api-key' };
    jsonWith(join(home, '.gemini', 'settings.json'), { security: { auth, folderTrust: { enabled: false } } });
    writeFileSync(join(home, '.gemini', 'trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }));
  },
  env: ({ url }) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url }),
  task: (text) => ['-m', 'gemini-2.5-flash', '--yolo', '-p', text],
  nativePrompt: (typed) => ['-m', 'gemini-2.5-flash', '-p', `/adjutant:greet ${typed}`],
  nativeText: bracesEscaped,
  call: (tool, args) => ({ tool: `mcp_adjutant_${tool}`, arguments: args }),
  offered: (body) =>
    ours(
      'mcp_adjutant_',
      ((body['tools'] ?? []) as { functionDeclarations?: GeminiTool[] }[])
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map((tool) => ({ name: tool.name, schema: tool.parametersJsonSchema })),
    ),
};

interface GeminiTool {
  readonly name: string;
  readonly parametersJsonSchema: JsonObject;
}

const qwen: RealClient = {
  id: 'qwen',
  npmPackage: '@qwen-code/qwen-code',
  program: 'qwen',
  startModel: startScriptedModel,
  env: ({ url }) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
  task: (text) => ['--auth-type', 'openai', '--yolo', '-p', text],
  nativePrompt: (typed) => ['--auth-type', 'openai', '-p', `/adjutant:greet ${typed}`],
  nativeText: bracesEscaped,
  call: (tool, args) => ({
    tool: 'tool_call',
    arguments: { name: `mcp__adjutant__${tool}`, arguments: args },
  }),
  // Longer results are moved to a file.
  load: (tools) =>
    Array.from({ length: Math.ceil(tools.length / 10) }, (_, at) => ({
      tool: 'tool_search',
      arguments: { query: selection(tools.slice(10 * at, 10 * at + 10)), max_results: 10 },
    })),
  offered: (body) =>
    ours('mcp__adjutant__', [...textsOf(body).matchAll(/<function>(.*)<\/function>/g)].map(foundTool)),
};

const opencode: RealClient = {
  id: 'opencode',
  npmPackage: 'opencode-ai',
  program: 'opencode',
  startModel: startScriptedModel,
  configure(home, { url }) {
    const loopback = {
      npm: '@ai-sdk/openai-compatible',
      name: 'loopback',
      options: { baseURL: `${url}/v1`, apiKey: 'none' },
      models: { scripted: { name: 'scripted' } },
    };
    jsonWith(join(home, '.config', 'opencode', 'opencode.json'), {
      provider: { loopback },
      model: 'loopback/scripted',
      small_model: 'loopback/scripted',
      autoupdate: false,
      share: 'disabled',
    });
  },
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  task: (text) => ['run', text],
  // The program would put an argument with blanks in quotes.
  nativePrompt: (typed) => ['run', '--command', 'adjutant/greet', ...typed.split(' ')],
  nativeText: (body, typed) =>
    unescaped(
      body.replace('!`', '! `').replace('@{', '@ {').replace('@f', '@ f').replaceAll('$', '$ '),
      typed,
    ),
  call: (tool, args) => ({ tool: `adjutant_${tool}`, arguments: args }),
  offered: (body) => ours('adjutant_', ((body['tools'] ?? []) as ChatTool[]).map(chatTool)),
};

export const realClients = { codex, claude, gemini, qwen, opencode } as const;
