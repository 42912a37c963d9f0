import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Places } from '../../setting.ts';
import { type EntryFormat, entryWriter } from './client-entry.ts';

/** A client's configuration file and the format of our entry in it. */
export interface Client {
  readonly id: string;
  readonly title: string;
  /** Other names that people use for it. */
  readonly names?: readonly string[];
  readonly format: 'json' | 'toml' | 'yaml';
  /** The user's configuration file. */
  file(places: Places, platform: NodeJS.Platform): string;
  /** The configuration file in a project folder. `undefined` if the client has none. */
  readonly projectFile?: string;
  /** Name of the table of servers in the file. */
  readonly key: string;
  readonly entry: ReturnType<typeof entryWriter>;
  /** False if the file can only start a server, not name the address of one. */
  readonly http?: false;
  /** True if a desktop starts the client, so that it does not have the PATH of a shell. */
  readonly hasWindow?: true;
  /** Where it can run a command for every message that a person sends. */
  readonly hook?: ClientHook;
  /** Set if newer versions show the model only the names of tools until it searches for them. */
  readonly defersTools?: DeferredTools;
}

/** A command that adds text to a message before the model reads it. */
export interface ClientHook {
  readonly event: string;
  file(places: Places): string;
  readonly projectFile: string;
}

/** Versions are measured with the real client and a local model. */
export interface DeferredTools {
  readonly program: string;
  readonly since: string;
  /** The variable that selects another host for the model, and the first version that defers tools there as well. */
  readonly otherHost?: { readonly variable: string; readonly since: string };
}

const typed: EntryFormat = { stdio: { type: 'stdio' }, http: { type: 'http' } };
const custom = { source: 'custom' };
const enabled = { enabled: true };
const allTools = { tools: ['*'] };
const goose = {
  name: 'adjutant',
  description: 'Prompts, sub-agents and a calendar',
  ...enabled,
  timeout: 300,
};

export const clients: readonly Client[] = [
  {
    id: 'codex',
    names: ['codex-cli', 'openai-codex', 'openai'],
    title: 'Codex',
    format: 'toml',
    file: ({ env, userHome }) => join(env['CODEX_HOME'] || join(userHome, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    key: 'mcp_servers',
    entry: entryWriter({ headers: 'http_headers' }),
  },
  {
    id: 'claude',
    names: ['claude-code', 'claudecode', 'claude-cli', 'cc'],
    title: 'Claude Code',
    format: 'json',
    file: ({ env, userHome }) => join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'),
    projectFile: '.mcp.json',
    key: 'mcpServers',
    entry: entryWriter(typed),
    hook: {
      event: 'UserPromptSubmit',
      file: ({ env, userHome }) =>
        join(env['CLAUDE_CONFIG_DIR'] || join(userHome, '.claude'), 'settings.json'),
      projectFile: join('.claude', 'settings.json'),
    },
    defersTools: {
      program: 'claude',
      since: '2.1.69',
      otherHost: { variable: 'ANTHROPIC_BASE_URL', since: '2.1.304' },
    },
  },
  {
    id: 'claude-desktop',
    names: ['claude-app', 'desktop'],
    title: 'Claude Desktop',
    hasWindow: true,
    format: 'json',
    file: (places, platform) =>
      join(applicationFolder(places, platform), 'Claude', 'claude_desktop_config.json'),
    key: 'mcpServers',
    entry: entryWriter(),
    http: false,
  },
  {
    id: 'cursor',
    title: 'Cursor',
    hasWindow: true,
    format: 'json',
    file: ({ userHome }) => join(userHome, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: entryWriter(),
  },
  {
    id: 'vscode',
    names: ['vs-code', 'code', 'visual-studio-code'],
    title: 'VS Code',
    hasWindow: true,
    format: 'json',
    file: (places, platform) => join(applicationFolder(places, platform), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    key: 'servers',
    entry: entryWriter(typed),
  },
  {
    id: 'copilot',
    names: ['github-copilot', 'copilot-cli', 'gh-copilot'],
    title: 'GitHub Copilot CLI',
    format: 'json',
    file: ({ env, userHome }) => join(env['COPILOT_HOME'] || join(userHome, '.copilot'), 'mcp-config.json'),
    projectFile: join('.github', 'mcp.json'),
    key: 'mcpServers',
    entry: entryWriter({ stdio: { type: 'local', ...allTools }, http: { type: 'http', ...allTools } }),
  },
  {
    id: 'gemini',
    names: ['gemini-cli'],
    title: 'Gemini CLI',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: entryWriter({ url: 'httpUrl' }),
  },
  {
    id: 'qwen',
    names: ['qwen-code'],
    title: 'Qwen Code',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.qwen', 'settings.json'),
    projectFile: join('.qwen', 'settings.json'),
    key: 'mcpServers',
    entry: entryWriter({ url: 'httpUrl' }),
    // 0.15.6 does not defer them, and no version in between was published.
    defersTools: { program: 'qwen', since: '0.15.10' },
  },
  {
    id: 'opencode',
    names: ['open-code'],
    title: 'opencode',
    format: 'json',
    file: (places) =>
      firstExisting(['opencode.json', 'opencode.jsonc'], join(xdgSettings(places), 'opencode')),
    projectFile: 'opencode.json',
    key: 'mcp',
    entry: entryWriter({
      stdio: { type: 'local', ...enabled },
      http: { type: 'remote', ...enabled },
      joinsCommand: true,
    }),
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    hasWindow: true,
    format: 'json',
    file: ({ userHome }) => join(userHome, '.codeium', 'windsurf', 'mcp_config.json'),
    key: 'mcpServers',
    entry: entryWriter({ url: 'serverUrl' }),
  },
  {
    id: 'cline',
    title: 'Cline',
    hasWindow: true,
    format: 'json',
    file: clineFile,
    key: 'mcpServers',
    entry: entryWriter({ http: { type: 'streamableHttp' } }),
  },
  {
    id: 'goose',
    title: 'Goose',
    hasWindow: true,
    format: 'yaml',
    file: (places, platform) =>
      platform === 'win32'
        ? join(places.settings, 'Block', 'goose', 'config', 'config.yaml')
        : join(xdgSettings(places), 'goose', 'config.yaml'),
    key: 'extensions',
    entry: entryWriter({
      stdio: { ...goose, type: 'stdio' },
      http: { ...goose, type: 'streamable_http' },
      command: 'cmd',
      url: 'uri',
    }),
  },
  {
    id: 'zed',
    title: 'Zed',
    hasWindow: true,
    format: 'json',
    file: (places, platform) =>
      platform === 'win32'
        ? join(places.settings, 'Zed', 'settings.json')
        : join(places.userHome, '.config', 'zed', 'settings.json'),
    projectFile: join('.zed', 'settings.json'),
    key: 'context_servers',
    entry: entryWriter({ stdio: custom, http: custom }),
  },
];

/** On macOS, desktop programs always use Application Support, even if XDG variables are set. */
function applicationFolder(places: Places, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(places.userHome, 'Library', 'Application Support');
  return places.settings;
}

/** Some programs follow XDG on every platform, where `places.settings` follows the platform. */
function xdgSettings({ env, userHome }: Places): string {
  return env['XDG_CONFIG_HOME'] || join(userHome, '.config');
}

function firstExisting(names: readonly string[], folder: string): string {
  const paths = names.map((name) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

/** Cline keeps its settings in the storage of VS Code if its extension is installed, otherwise in a folder of its own. */
function clineFile(places: Places, platform: NodeJS.Platform): string {
  const named = places.env['CLINE_MCP_SETTINGS_PATH'];
  if (named) return named;
  const name = join('settings', 'cline_mcp_settings.json');
  const extension = join(
    applicationFolder(places, platform),
    ...['Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev'],
  );
  return existsSync(extension) ? join(extension, name) : join(places.userHome, '.cline', 'data', name);
}
