import { join } from 'node:path';
import type { Places } from '../setting.ts';

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

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

export const clients: readonly Client[] = [
  {
    id: 'codex',
    title: 'Codex',
    format: 'toml',
    file: ({ env, userHome }) => join(env['CODEX_HOME'] || join(userHome, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    key: 'mcp_servers',
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { command: entry.command, args: entry.args }
        : { url: entry.url, http_headers: bearer(entry.token) },
  },
  {
    id: 'claude',
    title: 'Claude Code',
    format: 'json',
    file: ({ env, userHome }) => join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'),
    projectFile: '.mcp.json',
    key: 'mcpServers',
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { type: 'stdio', command: entry.command, args: entry.args }
        : { type: 'http', url: entry.url, headers: bearer(entry.token) },
  },
  {
    id: 'cursor',
    title: 'Cursor',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    key: 'mcpServers',
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { command: entry.command, args: entry.args }
        : { url: entry.url, headers: bearer(entry.token) },
  },
  {
    id: 'vscode',
    title: 'VS Code',
    format: 'json',
    file: (places, platform) => join(codeFolder(places, platform), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    key: 'servers',
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { type: 'stdio', command: entry.command, args: entry.args }
        : { type: 'http', url: entry.url, headers: bearer(entry.token) },
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    format: 'json',
    file: ({ userHome }) => join(userHome, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    key: 'mcpServers',
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { command: entry.command, args: entry.args }
        : { httpUrl: entry.url, headers: bearer(entry.token) },
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
    entry: (entry) =>
      entry.kind === 'stdio'
        ? { source: 'custom', command: entry.command, args: entry.args }
        : { source: 'custom', url: entry.url, headers: bearer(entry.token) },
  },
];

/** VS Code keeps its settings where the platform does, except on a Mac, where that is one folder up. */
function codeFolder(places: Places, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(places.userHome, 'Library', 'Application Support');
  return places.settings;
}
