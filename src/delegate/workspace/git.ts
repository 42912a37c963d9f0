import { promises as disk } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { copyRegularFile, readRegularFile } from '../../regular-file.ts';
import {
  type Environment,
  gitEnvironment,
  safeGitSettings,
  withGitSettings,
  withoutRepository,
} from '../process/environment.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { capture } from '../process/launch.ts';

export type { Environment } from '../process/environment.ts';

export interface GitOptions {
  readonly env?: Environment;
  readonly input?: Buffer;
  /** Exit codes other than 0 that do not mean failure. */
  readonly expected?: readonly number[];
}

export type RepositoryPaths = Pick<Repository, 'gitDir' | 'root' | 'prefix' | 'objects'>;

/** Overrides settings that could start programs. `disablePrograms` handles those with names that a repository chooses. */
const safeConfig = [...safeGitSettings, ['core.quotePath', 'false']].flatMap(([key, value]) => [
  '-c',
  `${key}=${value}`,
]);
/** Settings that name programs, or that make git start one. */
const programSettings = [
  String.raw`filter\..*\.(clean|smudge|process|required)`,
  String.raw`(merge|diff)\..*\.(driver|command|textconv)`,
  String.raw`hook\..*`,
  String.raw`core\.(sshcommand|askpass|editor|pager|gitproxy|alternaterefscommand)`,
  String.raw`(diff\.external|gpg\.program|gpg\..*\.program|credential\..*helper|credential\.helper|sequence\.editor)`,
  String.raw`(commit|tag|push)\.gpgsign`,
].join('|');
/** Commands that read neither files nor the index, and so never start one of these programs. */
const safeCommands = new Set(['rev-parse', 'diff-tree', 'ls-tree', 'cat-file', 'commit-tree']);
/** Equivalent to git's built-in merge driver. */
const builtInMerge = 'git merge-file -q --marker-size=%L %A %O %B';

const timeoutMs = 10 * 60_000;
/** For commands that read only the settings, which can be a named pipe too. */
const quickTimeoutMs = 20_000;

/**
 * A git working tree, seen from one of its folders. The git directory is looked up once, before an agent works in the
 * tree: a `.git` created later must not decide which programs git starts. The settings are read once, so an object must not be
 * used before and after an agent has worked in the tree.
 */
export class Repository {
  readonly gitDir: string;
  readonly root: string;
  /** Path of the folder within the working tree: empty at the root, otherwise with a trailing slash. */
  readonly prefix: string;
  /** The object folder, which several worktrees can share. */
  readonly objects: string;
  readonly #env: Environment;
  /** The environment that disables the programs of the repository, created on first use. */
  #safeEnv: Promise<Environment> | undefined;
  #checked: Promise<void> | undefined;

  constructor({ gitDir, root, prefix, objects }: RepositoryPaths, env: Environment) {
    this.gitDir = gitDir;
    this.root = root;
    this.prefix = prefix;
    this.objects = objects;
    this.#env = { ...withoutRepository(env), GIT_DIR: gitDir, GIT_WORK_TREE: root };
  }

  /** Returns `undefined` outside a working tree and if git is not installed. */
  static async find(folder: string, env: Environment): Promise<Repository | undefined> {
    try {
      const fields = ['--absolute-git-dir', '--show-toplevel', '--show-prefix', '--git-path', 'objects'];
      const { output } = await runGit(
        folder,
        ['rev-parse', '--path-format=absolute', ...fields],
        withoutRepository(env),
      );
      const [gitDir = '', root, prefix = '', objects = ''] = output.toString().split('\n');
      return root ? new Repository({ gitDir, root, prefix, objects }, env) : undefined;
    } catch {
      return undefined;
    }
  }

  /** The paths needed to open the repository again without a lookup. */
  get paths(): RepositoryPaths {
    const { gitDir, root, prefix, objects } = this;
    return { gitDir, root, prefix, objects };
  }

  async run(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const shared = dirname(this.objects);
    this.#checked ??= refuseNamedPipes(isInFolder(this.gitDir, shared) ? shared : this.gitDir);
    await this.#checked;
    if (!safeCommands.has(args[0]!)) this.#safeEnv ??= disablePrograms(this.gitDir, this.#env);
    const env = safeCommands.has(args[0]!) ? this.#env : await this.#safeEnv!;
    return runGit(folder, args, { ...env, ...options.env }, { ...options, timeoutMs });
  }

  async text(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
    return (await this.run(folder, args, options)).output.toString().trimEnd();
  }
}

export interface GitResult {
  readonly code: number;
  readonly output: Buffer;
}

/** Adds overrides that disable the programs configured in the repository. Programs from the user's own settings stay enabled. */
async function disablePrograms(gitDir: string, env: Environment): Promise<Environment> {
  const query = ['config', '--show-scope', '-z', '--get-regexp', `^(${programSettings})$`];
  const { output } = await runGit(gitDir, query, env, { expected: [1] });
  const parts = output.toString().split('\0');
  const [local, trusted] = [new Set<string>(), new Map<string, string>()];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...value] = parts[at + 1]!.split('\n');
    if (parts[at] !== 'local' && parts[at] !== 'worktree') trusted.set(key, value.join('\n'));
    else local.add(key.replace(/^(hook\..*)\.[^.]*$/, '$1.enabled'));
  }
  return withGitSettings(
    env,
    [...local].map((key) => [key, trusted.get(key) ?? safeValue(key)]),
  );
}

function safeValue(key: string): string {
  if (key.endsWith('.driver')) return builtInMerge;
  return /\.(required|gpgsign)$|^hook\./.test(key) ? 'false' : '';
}

/** Merges two versions of a text with their common base. Conflicts are marked as git marks them. */
export async function mergeTexts(
  folder: string,
  { ours, base, theirs }: { readonly ours: string; readonly base: string; readonly theirs: string },
  run: string,
  env: Environment,
): Promise<{ readonly text: Buffer; readonly conflicts: number }> {
  const expected = Array.from({ length: 127 }, (_, at) => at + 1);
  const labels = ['folder', 'start of the run', `run ${run}`].flatMap((label) => ['-L', label]);
  const args = ['merge-file', '-p', '-q', ...labels, ours, base, theirs];
  const { code, output } = await runGit(folder, args, outsideRepositories(folder, env), { expected });
  return { text: output, conflicts: code };
}

/** Compares two folders as they are on disk, as a patch from `a` to `b`. */
export async function diffFolders(folder: string, a: string, b: string, env: Environment): Promise<Buffer> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--no-prefix'];
  const args = ['diff', ...flags, a, b];
  const { output } = await runGit(folder, args, outsideRepositories(folder, env), { expected: [1] });
  return output;
}

/** Keeps git from using the settings of a repository that contains the folder. */
function outsideRepositories(folder: string, env: Environment): Environment {
  return { ...withoutRepository(env), GIT_CEILING_DIRECTORIES: dirname(folder) };
}

async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  { input, expected = [], timeoutMs = quickTimeoutMs }: GitOptions & { readonly timeoutMs?: number } = {},
): Promise<GitResult> {
  const program = { command: 'git', args: [...safeConfig, ...args], cwd: folder, env: gitEnvironment(env) };
  const captured = await capture(program, { timeoutMs, ...(input !== undefined && { input }) });
  const { code, output, errors, startError } = captured;
  if (startError !== undefined)
    throw new Failure('unavailable', `git could not be started: ${startError.message}`, {
      cause: startError,
    });
  if (code !== 0 && !expected.includes(code ?? -1)) {
    const message = errors.toString().trim().split('\n').at(-1) ?? '';
    const how = code === null ? 'was killed or took too long' : `failed with code ${code}`;
    throw new Failure('tool-failed', `git ${args[0]} ${how}: ${message}`);
  }
  return { code: code ?? -1, output };
}

/** Files in the data of a repository that git reads for other commands than `rev-parse`. */
const gitFiles = ['config', 'packed-refs', 'info/exclude', 'info/attributes'];

/** Git would wait for a named pipe forever. None of our commands reads files of the working tree. */
async function refuseNamedPipes(gitDir: string): Promise<void> {
  for (const path of gitFiles.map((name) => join(gitDir, name)))
    if ((await disk.stat(path).catch(() => undefined))?.isFIFO())
      throw new Failure(
        'unavailable',
        `git was not started: ${path} is a named pipe, and git would wait for it forever. Delete it.`,
      );
}

/** A `.git` file refers to data outside the copy, so git commands in the copy would change the index of the original. */
export async function ownRepositoryLink(copy: string): Promise<void> {
  const link = join(copy, '.git');
  const text = await readRegularFile(link).catch(() => '');
  const gitDir = /^gitdir: (.*)/.exec(text)?.[1];
  if (gitDir === undefined) return;
  const original = resolve(copy, gitDir);
  const common = await readRegularFile(join(original, 'commondir')).catch(() => '.');
  await disk.rm(link);
  await disk.mkdir(link);
  for (const name of ['HEAD', 'index'])
    await copyRegularFile(join(original, name), join(link, name)).catch(() => {});
  await disk.writeFile(join(link, 'commondir'), `${resolve(original, common.trim())}\n`);
}
