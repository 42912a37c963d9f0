import { promises as disk, existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';
import type { Sandbox } from './sandbox.ts';

/** What of the Codex settings of the person and of a repository applies to a run: sandbox, trust and MCP servers. */

const maxBytes = 1024 * 1024;

/** Parses a settings file of Codex. A missing or invalid file yields no settings; Codex itself reports the error. */
export async function readCodexSettings(file: string): Promise<Readonly<Record<string, unknown>>> {
  const text = await readRegularFile(file, maxBytes).catch(() => '');
  if (text === '') return {};
  const { parse } = await import('smol-toml');
  try {
    return parse(text);
  } catch {
    return {};
  }
}

export function userSettingsFile(codexHome: string): string {
  return join(codexHome, 'config.toml');
}

/** Name of the permission profile, which exists only on the command line of a run. */
const profile = 'adjutant';
const baseProfiles = { 'read-only': ':read-only', 'workspace-write': ':workspace' } as const;

export interface CodexPermissions {
  /** Arguments that select the sandbox. */
  readonly args: readonly string[];
  /** The same selection as parameters of a thread of `codex app-server`. */
  readonly thread: { readonly sandbox: Sandbox } | { readonly permissions: string };
  /** Overrides that define it. They come after those of the caller. */
  readonly overrides: readonly string[];
}

/**
 * Selects the sandbox of a run. If there are files that no sub-agent may read, a permission profile denies them; `--sandbox`
 * would take precedence over it, so it is left out. `sandbox_mode` is for versions of Codex without profiles.
 */
export function codexPermissions(
  sandbox: Sandbox,
  unreadable: readonly string[],
  userSettings: Readonly<Record<string, unknown>>,
  callerOverrides: readonly string[],
): CodexPermissions {
  const plain = { args: ['--sandbox', sandbox], thread: { sandbox }, overrides: [] };
  // To hide a missing file or folder, the sandbox would create an empty file in its place.
  const existing = unreadable.filter((path) => existsSync(path));
  if (sandbox === 'danger-full-access' || existing.length === 0) return plain;
  // A caller with the rights to set its own sandbox gets what it asks for.
  if (callerOverrides.some((override) => /^\s*(sandbox|permissions|default_permissions)/.test(override)))
    return plain;
  const denied = existing.map((path) => [path, 'deny'] as const);
  const user = sandbox === 'workspace-write' ? workspaceSettings(userSettings) : undefined;
  const rules = [...(user?.rules ?? []), ...denied].map(
    ([path, access]) => `${JSON.stringify(path)}=${JSON.stringify(access)}`,
  );
  const network = user?.network ? ',network={enabled=true}' : '';
  return {
    args: [],
    thread: { permissions: profile },
    overrides: [
      `sandbox_mode=${JSON.stringify(sandbox)}`,
      `permissions.${profile}={extends=${JSON.stringify(baseProfiles[sandbox])},filesystem={${rules.join(',')}}${network}}`,
      `default_permissions=${JSON.stringify(profile)}`,
    ],
  };
}

/** The folders besides the working folder that commands can write to, by the settings of the user. */
export function writableRoots({
  sandbox_workspace_write: own,
}: Readonly<Record<string, unknown>>): readonly string[] {
  const roots = isObject(own) && Array.isArray(own['writable_roots']) ? own['writable_roots'] : [];
  return roots.filter((root) => typeof root === 'string');
}

/** Translates the user's settings for `workspace-write`, which Codex does not apply to a profile. */
function workspaceSettings(settings: Readonly<Record<string, unknown>>): {
  readonly rules: readonly (readonly [string, string])[];
  readonly network: boolean;
} {
  const own = settings['sandbox_workspace_write'];
  if (!isObject(own)) return { rules: [], network: false };
  return {
    rules: [
      ...writableRoots(settings).map((root) => [root, 'write'] as const),
      ...(own['exclude_slash_tmp'] === true ? [[':slash_tmp', 'read'] as const] : []),
      ...(own['exclude_tmpdir_env_var'] === true ? [[':tmpdir', 'read'] as const] : []),
    ],
    network: own['network_access'] === true,
  };
}

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

export interface ServerSelection {
  /** Disables the other MCP servers. */
  readonly override: string | undefined;
  /** The entries of the servers that the run has. */
  readonly enabled: readonly Entry[];
}

/**
 * Selects the MCP servers of sub-agents. Sub-agents read the same configuration, so they would otherwise start this server again,
 * without end. Each entry is complete, so the override is valid even if codex does not load the file that defines the entry.
 */
export async function selectServers(
  codexHome: string,
  cwd: string,
  own: OwnEntry,
  { disableOthers, allowed }: ServerRule,
): Promise<ServerSelection> {
  const files = ['/etc/codex/config.toml', userSettingsFile(codexHome), ...projectFiles(cwd)];
  const found = new Map<string, string>();
  const enabled: Entry[] = [];
  for (const settings of await Promise.all(files.map(readCodexSettings))) {
    const servers = settings['mcp_servers'];
    for (const [name, entry] of Object.entries(isObject(servers) ? servers : {})) {
      if (!isObject(entry)) continue;
      const isUnwanted = isOwn(name, entry, own) || (disableOthers && !allowed.includes(name));
      const address = isUnwanted ? addressOf(entry) : undefined;
      if (address !== undefined) found.set(name, address);
      if (!isUnwanted && entry['enabled'] !== false) enabled.push(entry);
    }
  }
  if (found.size === 0) return { override: undefined, enabled };
  const entries = [...found].map(([name, address]) => `${JSON.stringify(name)}={${address},enabled=false}`);
  return { override: `mcp_servers={${entries.join(',')}}`, enabled };
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
