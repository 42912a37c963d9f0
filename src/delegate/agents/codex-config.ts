import { basename, dirname, join } from 'node:path';
import { isObject } from '../../json.ts';
import { readCodexSettings, userSettingsFile } from './codex-settings.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Identifies this server in a list of MCP servers, in addition to the program name. */
export interface OwnEntry {
  readonly names: readonly string[];
  readonly port: number;
}

/** Which MCP servers of the user a run must not have, besides this one. */
export interface ServerRule {
  /** True for runs that may not write: tools of MCP servers run outside the sandbox. */
  readonly disableOthers: boolean;
  /** Servers that stay enabled nevertheless. */
  readonly allowed: readonly string[];
}

/**
 * Returns the override that disables MCP servers in sub-agents. Sub-agents read the same configuration, so they would
 * otherwise start this server again, without end. Each entry is complete, so the override is valid even if codex does not
 * load the file that defines the entry.
 */
export async function disableServers(
  codexHome: string,
  cwd: string,
  own: OwnEntry,
  { disableOthers, allowed }: ServerRule,
): Promise<string | undefined> {
  const files = ['/etc/codex/config.toml', userSettingsFile(codexHome), ...projectFiles(cwd)];
  const found = new Map<string, string>();
  for (const settings of await Promise.all(files.map(readCodexSettings))) {
    const servers = settings['mcp_servers'];
    for (const [name, entry] of Object.entries(isObject(servers) ? servers : {})) {
      if (!isObject(entry)) continue;
      const isUnwanted = isOwn(name, entry, own) || (disableOthers && !allowed.includes(name));
      const address = isUnwanted ? addressOf(entry) : undefined;
      if (address !== undefined) found.set(name, address);
    }
  }
  if (found.size === 0) return undefined;
  const entries = [...found].map(([name, address]) => `${JSON.stringify(name)}={${address},enabled=false}`);
  return `mcp_servers={${entries.join(',')}}`;
}

function projectFiles(cwd: string): string[] {
  const files: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    files.push(join(folder, '.codex', 'config.toml'));
    if (dirname(folder) === folder) return files;
  }
}

function isOwn(name: string, { command, url, args }: Entry, own: OwnEntry): boolean {
  if (own.names.includes(name)) return true;
  if (typeof url === 'string')
    return new RegExp(`//(localhost|127\\.0\\.0\\.1|\\[::1\\]):${own.port}/mcp\\b`).test(url);
  return [command, ...(Array.isArray(args) ? args : [])].some(isOwnProgram);
}

function isOwnProgram(word: unknown): boolean {
  return (
    typeof word === 'string' &&
    (word === process.argv[1] || /^adjutant(\.cjs|\.cmd|\.exe|@.*)?$/.test(basename(word)))
  );
}

function addressOf({ command, url }: Entry): string | undefined {
  if (typeof command === 'string') return `command=${JSON.stringify(command)}`;
  return typeof url === 'string' ? `url=${JSON.stringify(url)}` : undefined;
}
