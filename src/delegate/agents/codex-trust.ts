import { promises as disk } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';

const maxConfigBytes = 1024 * 1024;

export interface ProjectTrust {
  /** Override that marks the folder as untrusted. Absent if the user has set a trust level. */
  readonly override?: string;
  /** Contents of AGENTS.md and similar files, which codex ignores in an untrusted folder. */
  readonly instructions?: string;
}

/**
 * Decides whether codex may trust a folder. By default codex trusts a folder on its first writing run, and then starts the
 * programs named in the repository's `.codex/config.toml` without a sandbox. Here a folder is trusted only if the user set a
 * trust level in the codex configuration.
 */
export async function projectTrust(codexHome: string, cwd: string): Promise<ProjectTrust> {
  const real = await disk.realpath(cwd).catch(() => cwd);
  if (await hasTrustLevel(codexHome, await trustPaths(cwd, real))) return {};
  const entries = [...new Set([cwd, real])].map(
    (path) => `${JSON.stringify(path)}={trust_level="untrusted"}`,
  );
  const instructions = await projectInstructions(cwd, [['AGENTS.override.md', 'AGENTS.md']]);
  return {
    override: `projects={${entries.join(',')}}`,
    ...(instructions !== undefined && { instructions }),
  };
}

async function hasTrustLevel(codexHome: string, names: readonly string[]): Promise<boolean> {
  const text = await readRegularFile(join(codexHome, 'config.toml'), maxConfigBytes).catch(() => '');
  if (!text.includes('projects')) return false;
  const { parse } = await import('smol-toml');
  try {
    const { projects } = parse(text);
    return names.some((name) => {
      const entry = isObject(projects) && Object.hasOwn(projects, name) ? projects[name] : undefined;
      return isObject(entry) && entry['trust_level'] !== undefined;
    });
  } catch {
    return false; // Codex itself reports the syntax error.
  }
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
