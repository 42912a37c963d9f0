import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { componentFile } from '../components.ts';
import { startMessagesModel } from '../model/messages-model.ts';
import { configFor, type Model, startResponsesModel } from '../model/responses-model.ts';
import { startScriptedModel } from '../model/scripted-model.ts';
import type { Turn } from '../model/turn.ts';

type AnyModel = Omit<Model, 'config'>;

/** How a real agent is connected to a model on loopback, and what its model has to say to use its tools. */
export interface RealAgent {
  readonly name: string;
  /** `undefined` if the program is not installed. */
  readonly program: string | undefined;
  readonly model?: string;
  startModel(): Promise<AnyModel>;
  env(model: AnyModel): Readonly<Record<string, string>>;
  /** Writes the settings of the user. */
  configure(home: string, model: AnyModel): void;
  shell(command: string): Turn;
  /** A command that needs permission, if that is not every command. */
  ask?(command: string): Turn;
  write(path: string, content: string): Turn;
  /** Input tokens that the model reports for each call. */
  readonly tokensPerCall: number;
  /** The call that gives the final answer. Absent if a plain message does. */
  finish?(answer: object): readonly Turn[];
}

const file = (path: string, content: object | string) => {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
};

const installed = (path: string) => (existsSync(path) ? path : undefined);

/** opencode is too large for the components of the tests; `npm run prove -- agents` installs it. */
function findOpencode(): string | undefined {
  const cache = join(import.meta.dirname, '..', '..', '.cache', 'clients');
  const versions = existsSync(cache)
    ? readdirSync(cache).filter((name) => name.startsWith('opencode-ai-'))
    : [];
  return versions
    .sort()
    .map((name) =>
      join(cache, name, 'node_modules', `opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
    )
    .findLast((path) => existsSync(path));
}

const codex: RealAgent = {
  name: 'codex',
  tokensPerCall: 100,
  program: installed(componentFile('.bin/codex')),
  startModel: startResponsesModel,
  env: () => ({}),
  configure: (home, { url }) => file(join(home, '..', 'codex', 'config.toml'), configFor(url)),
  shell: (command) => ({ shell: command, timeoutMs: 30_000 }),
  ask: (cmd) => ({
    tool: 'exec_command',
    arguments: { cmd, sandbox_permissions: 'require_escalated', justification: 'scripted' },
  }),
  write: (path, content) => ({ shell: `printf %s '${content}' > ${path}` }),
};

const claude: RealAgent = {
  name: 'claude',
  tokensPerCall: 140,
  program: installed(componentFile('.bin/claude')),
  startModel: startMessagesModel,
  env: ({ url }) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none', DISABLE_AUTOUPDATER: '1' }),
  configure: () => {},
  shell: (command) => ({ shell: command }),
  ask: (command) => ({
    tool: 'Bash',
    arguments: { command, description: 'scripted', dangerouslyDisableSandbox: true },
  }),
  write: (file_path, content) => ({ tool: 'Write', arguments: { file_path, content } }),
};

const gemini: RealAgent = {
  name: 'gemini',
  tokensPerCall: 10,
  program: installed(componentFile('.bin/gemini')),
  model: 'gemini-2.5-flash',
  startModel: startScriptedModel,
  env: ({ url }) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url }),
  configure: (home) =>
    file(join(home, '.gemini', 'settings.json'), { security: { auth: { selectedType: 'gemini-api-key' } } }),
  shell: (command) => ({ tool: 'run_shell_command', arguments: { command, description: 'scripted' } }),
  write: (file_path, content) => ({ tool: 'write_file', arguments: { file_path, content } }),
  finish: (answer) => [{ tool: 'mcp_adjutant_run_finish_run', arguments: answer }],
};

const qwen: RealAgent = {
  name: 'qwen',
  tokensPerCall: 10,
  program: installed(componentFile('.bin/qwen')),
  startModel: startScriptedModel,
  env: ({ url }) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'scripted' }),
  configure: (home) =>
    file(join(home, '.qwen', 'settings.json'), { security: { auth: { selectedType: 'openai' } } }),
  shell: (command) => ({
    tool: 'run_shell_command',
    arguments: { command, description: 'scripted', is_background: false },
  }),
  write: (file_path, content) => ({ tool: 'write_file', arguments: { file_path, content } }),
  // Tools of MCP servers are hidden behind a search.
  finish: (answer) => [
    { tool: 'tool_search', arguments: { query: 'select:mcp__adjutant_run__finish_run', max_results: 1 } },
    { tool: 'tool_call', arguments: { name: 'mcp__adjutant_run__finish_run', arguments: answer } },
  ],
};

const opencode: RealAgent = {
  name: 'opencode',
  tokensPerCall: 10,
  get program() {
    return findOpencode();
  },
  startModel: startScriptedModel,
  env: () => ({ OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  configure: (home, { url }) =>
    file(join(home, '.config', 'opencode', 'opencode.json'), {
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          name: 'loopback',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { scripted: { name: 'scripted' } },
        },
      },
      model: 'loopback/scripted',
      small_model: 'loopback/scripted',
      share: 'disabled',
    }),
  shell: (command) => ({ tool: 'bash', arguments: { command, description: 'scripted' } }),
  write: (filePath, content) => ({ tool: 'write', arguments: { filePath, content } }),
  finish: (answer) => [{ tool: 'adjutant_run_finish_run', arguments: answer }],
};

export const realAgents = { codex, claude, gemini, opencode, qwen } as const;
export type RealAgentName = keyof typeof realAgents;
