import { join } from 'node:path';
import type { Places } from '../../setting.ts';

/** How a client starts or reaches the server. */
export type Entry =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

/** A client's own configuration: where it lies and how our entry looks in it. */
export interface Client {
  readonly id: string;
  readonly title: string;
  readonly format: 'json' | 'toml';
  /** The file for this person, and the one for the project in the working folder. */
  file(places: Places, platform: NodeJS.Platform): string;
  readonly projectFile: string;
  /** The table of servers inside the file. */
  readonly key: string;
  entry(entry: Entry): Readonly<Record<string, unknown>>;
}

/** What a client writes beside the command or the address, and what it calls the latter. */
interface Shape {
  readonly stdio?: Readonly<Record<string, string>>;
  readonly http?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: string;
}

function written({ stdio, http, url = 'url', headers = 'headers' }: Shape = {}): Client['entry'] {
  return (entry) =>
    entry.kind === 'stdio'
      ? { ...stdio, command: entry.command, args: entry.args }
      : { ...http, [url]: entry.url, [headers]: { Authorization: `Bearer ${entry.token}` } };
}

const typed: Shape = { stdio: { type: 'stdio' }, http: { type: 'http' } };
const custom = { source: 'custom' };

export const clients: readonly Client[] = [
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    file: ({ env, userHome }) => join(env['CODEX_HOME'] || join(userHome, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    key: 'mcp_servers',
    entry: written({ headers: 'http_headers' }),
  },
  {
    id: 'claude',
    title: 'Claude Code',
    format: 'json',
    file: ({ env, userHome }) => join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'),
    projectFile: '.mcp.json',
    key: 'mcpServers',
    entry: written(typed),
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: written(),
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    file: (places, platform) => join(codeFolder(places, platform), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    key: 'servers',
    entry: written(typed),
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: written({ url: 'httpUrl' }),
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
    entry: written({ stdio: custom, http: custom }),
  },
];

/** VS Code keeps its settings where the platform does, except on a Mac, where that is one folder up. */
function codeFolder(places: Places, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(places.userHome, 'Library', 'Application Support');
  return places.settings;
}
