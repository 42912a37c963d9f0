import { join } from 'node:path';
import type { Places } from '../../setting.ts';

/** How a client starts or reaches the server. */
export type Entry =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

/** A client's configuration file and the format of our entry in it. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The user's configuration file. `projectFile` is the one in a project folder. */
  file(places: Places, platform: NodeJS.Platform): string;
  readonly projectFile: string;
  /** Name of the table of servers in the file. */
  readonly key: string;
  entry(entry: Entry): Readonly<Record<string, unknown>>;
}

/** How the entries of clients differ: extra fields, and the names of the URL and headers fields. */
interface EntryFormat {
  readonly stdio?: Readonly<Record<string, string>>;
  readonly http?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: string;
}

function entryWriter({ stdio, http, url = 'url', headers = 'headers' }: EntryFormat = {}): Client['entry'] {
  return (entry) =>
    entry.kind === 'stdio'
      ? { ...stdio, command: entry.command, args: entry.args }
      : { ...http, [url]: entry.url, [headers]: { Authorization: `Bearer ${entry.token}` } };
}

const typed: EntryFormat = { stdio: { type: 'stdio' }, http: { type: 'http' } };
const custom = { source: 'custom' };

export const clients: readonly Client[] = [
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    file: ({ env, userHome }) => join(env['CODEX_HOME'] || join(userHome, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    key: 'mcp_servers',
    entry: entryWriter({ headers: 'http_headers' }),
  },
  {
    id: 'claude',
    title: 'Claude Code',
    format: 'json',
    file: ({ env, userHome }) => join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'),
    projectFile: '.mcp.json',
    key: 'mcpServers',
    entry: entryWriter(typed),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: entryWriter(),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    file: (places, platform) => join(codeFolder(places, platform), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    key: 'servers',
    entry: entryWriter(typed),
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: entryWriter({ url: 'httpUrl' }),
  },
  {
    id: 'zed',
    title: 'Zed',
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

/** On macOS, VS Code always uses Application Support, even if XDG variables are set. */
function codeFolder(places: Places, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(places.userHome, 'Library', 'Application Support');
  return places.settings;
}
