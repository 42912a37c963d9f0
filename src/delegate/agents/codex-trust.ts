import { promises as disk } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';
import { projectInstructions, projectRoot } from './project-instructions.ts';

const maxConfigBytes = 1024 * 1024;

export interface ProjectTrust {
  /** The override that keeps codex from trusting the folder; absent where the user has decided. */
  readonly override?: string;
  /** Text of the repository that codex does not read in a folder it does not trust. */
  readonly instructions?: string;
}

/**
 * Codex trusts a folder on its first writing run, and then starts the programs that the repository's `.codex/config.toml`
 * names, outside of any sandbox. Only what the user has written in the settings of codex counts as trust here.
 */
export async function projectTrust(codexHome: string, cwd: string): Promise<ProjectTrust> {
  const real = await disk.realpath(cwd).catch(() => cwd);
  if (await userDecided(codexHome, await namesOf(cwd, real))) return {};
  const entries = [...new Set([cwd, real])].map(
    (path) => `${JSON.stringify(path)}={trust_level="untrusted"}`,
  );
  const instructions = await projectInstructions(cwd, [['AGENTS.override.md', 'AGENTS.md']]);
  return {
    override: `projects={${entries.join(',')}}`,
    ...(instructions !== undefined && { instructions }),
  };
}

async function userDecided(codexHome: string, names: readonly string[]): Promise<boolean> {
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
    return false; // codex itself reports what is wrong with the file
  }
}

/** The paths under which codex looks for its trust: the folder, its repository, and the one a worktree belongs to. */
async function namesOf(cwd: string, real: string): Promise<string[]> {
  const root = projectRoot(real);
  return [cwd, real, root, ...(await mainRepository(root))];
}

/** A `.git` file counts only if the repository it names knows this worktree: anybody can write such a file. */
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
