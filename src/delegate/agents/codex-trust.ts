import { promises as disk } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';

export interface ProjectTrust {
  /** Override that sets the trust level of the folder. Absent if the codex configuration has one. */
  readonly override?: string;
  /** Contents of AGENTS.md and similar files, which codex ignores in an untrusted folder. */
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
  if (isTrusted) return { override: `projects={${levels('trusted').join(',')}}` };
  if (hasTrustLevel(userSettings, await trustPaths(cwd, real))) return {};
  const entries = levels('untrusted');
  const instructions = await projectInstructions(cwd, [['AGENTS.override.md', 'AGENTS.md']]);
  return {
    override: `projects={${entries.join(',')}}`,
    ...(instructions !== undefined && { instructions }),
  };
}

function hasTrustLevel({ projects }: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.some((name) => {
    const entry = isObject(projects) && Object.hasOwn(projects, name) ? projects[name] : undefined;
    return isObject(entry) && entry['trust_level'] !== undefined;
  });
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
