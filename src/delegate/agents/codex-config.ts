import { basename, dirname, join } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';

type Entry = Readonly<Record<string, unknown>>;

/** Identifies this server in a list of MCP servers, in addition to the program name. */
export interface OwnEntry {
  readonly names: readonly string[];
  readonly port: number;
}

/**
 * Returns the override that disables this server in sub-agents. Sub-agents read the same configuration, so they would
 * otherwise start this server again, without end. Each entry is complete, so the override is valid even if codex does not
 * load the file that defines the entry.
 */
export async function disableOwnServers(
  codexHome: string,
  cwd: string,
  own: OwnEntry,
): Promise<string | undefined> {
  const files = ['/etc/codex/config.toml', join(codexHome, 'config.toml'), ...projectFiles(cwd)];
  const found = new Map<string, string>();
  for (const servers of await Promise.all(files.map(loadServers))) {
    for (const [name, entry] of Object.entries(servers)) {
      const address = isObject(entry) && isOwn(name, entry, own) ? addressOf(entry) : undefined;
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

async function loadServers(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readRegularFile(file);
  } catch {
    return {};
  }
  if (!text.includes('mcp_servers')) return {};
  const { parse } = await import('smol-toml');
  try {
    const servers = parse(text)['mcp_servers'];
    return isObject(servers) ? servers : {};
  } catch {
    return {}; // Codex itself reports the syntax error.
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
