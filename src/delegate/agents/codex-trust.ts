import { promises as disk } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { readCodexSettings, userSettingsFile } from './codex-settings.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';

export interface ProjectTrust {
  /** Overrides that set the trust level of the folder, unless the codex configuration has one. */
  readonly overrides: readonly string[];
  /** Contents of AGENTS.md and similar files, which codex does not read itself. */
  readonly instructions?: string;
}

/**
 * Decides whether codex may trust a folder. By default codex trusts a folder on its first writing run, and then starts the
 * programs named in the repository's `.codex/config.toml` without a sandbox. Here a folder is trusted only if the user says so,
 * in `delegate.trusted_folders` or in the codex configuration.
 */
export async function projectTrust(
  userSettings: Readonly<Record<string, unknown>>,
  cwd: string,
  isTrusted: boolean,
): Promise<ProjectTrust> {
  const real = await disk.realpath(cwd).catch(() => cwd);
  const levels = (level: string) =>
    [...new Set([cwd, real])].map((path) => `${JSON.stringify(path)}={trust_level="${level}"}`);
  const known = isTrusted ? 'trusted' : trustLevel(userSettings, await trustPaths(cwd, real));
  const level = isTrusted ? 'trusted' : 'untrusted';
  const overrides = isTrusted || known === undefined ? [`projects={${levels(level).join(',')}}`] : [];
  if (known !== undefined && (known !== 'trusted' || (await hasOwnRules(userSettings, real))))
    return { overrides };
  const instructions = await projectInstructions(cwd, [['AGENTS.override.md', 'AGENTS.md']]);
  return {
    // In a sandbox that hides files, codex takes a quarter of a second to read these files itself.
    overrides: [...overrides, ...(known === undefined ? [] : ['project_doc_max_bytes=0'])],
    ...(instructions !== undefined && { instructions }),
  };
}

/** Whether the settings of the user or of a trusted repository say which instruction files codex reads. */
async function hasOwnRules(userSettings: Readonly<Record<string, unknown>>, cwd: string): Promise<boolean> {
  const own = await readRegularFile(join(projectRoot(cwd), '.codex', 'config.toml')).catch(() => '');
  return /project_doc|project_root/.test(`${Object.keys(userSettings).join(' ')} ${own}`);
}

function trustLevel({ projects }: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  for (const name of names) {
    const entry = isObject(projects) && Object.hasOwn(projects, name) ? projects[name] : undefined;
    if (isObject(entry) && entry['trust_level'] !== undefined) return entry['trust_level'];
  }
  return undefined;
}

/** Paths that codex checks for a trust level: the folder, its repository, and the main repository of a worktree. */
async function trustPaths(cwd: string, real: string): Promise<string[]> {
  const root = projectRoot(real);
  return [cwd, real, root, ...(await mainRepository(root))];
}

/** Follows a `.git` file only if the target repository lists this worktree, because any repository can contain such a file. */
async function mainRepository(root: string): Promise<string[]> {
  const link = join(root, '.git');
  try {
    const [, gitDir] = /^gitdir: (.+)/.exec(await readRegularFile(link, 4096)) ?? [];
    if (gitDir === undefined) return [];
    const own = resolve(root, gitDir);
    const worktrees = dirname(own);
    const back = (await readRegularFile(join(own, 'gitdir'), 4096)).trim();
    const isKnown = worktrees.endsWith(join('.git', 'worktrees')) && (await disk.realpath(back)) === link;
    return isKnown ? [dirname(dirname(worktrees))] : [];
  } catch {
    return [];
  }
}

type Entry = Readonly<Record<string, unknown>>;

/** Identifies this server in a list of MCP servers, in addition to the program name. */
export interface OwnEntry {
  readonly names: readonly string[];
  readonly port: number;
}

/** Which MCP servers of the user a run must not have, besides this one. */
interface ServerRule {
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
