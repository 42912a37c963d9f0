import { Failure } from '../../failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly env?: Environment;
  readonly input?: Buffer;
  /** Exit codes other than 0 that do not mean failure. */
  readonly expected?: readonly number[];
}

export type RepositoryPaths = Pick<Repository, 'gitDir' | 'root' | 'prefix' | 'objects'>;

/** Overrides settings that could start programs. `disablePrograms` handles filters, merge drivers and hooks. */
const safeConfig = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  // Git in a submodule uses the settings of the submodule and ignores these overrides.
  ['submodule.recurse', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
const programSettings = String.raw`^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|hook\..*)$`;
/** Commands that read neither files nor the index, and so never start one of these programs. */
const safeCommands = new Set(['rev-parse', 'diff-tree', 'ls-tree', 'commit-tree']);
/** Equivalent to git's built-in merge driver. */
const builtInMerge = 'git merge-file -q --marker-size=%L %A %O %B';
/** Prevents git from fetching missing objects, because the repository's settings choose the program that fetches them. */
const offline = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

/** Git would wait forever if .gitignore or .gitattributes is a named pipe. */
const timeoutMs = 10 * 60_000;

/** Variables that git sets for the programs it starts, such as a hook that starts this server. They refer to another repository. */
const repositoryVariables = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
]);

function withoutRepositoryVariables(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !repositoryVariables.has(name)));
}

/**
 * A git working tree, seen from one of its folders. The git directory is looked up once, before an agent works in the
 * tree: a `.git` created later must not decide which programs git starts.
 */
export class Repository {
  readonly gitDir: string;
  readonly root: string;
  /** Path of the folder within the working tree: empty at the root, otherwise with a trailing slash. */
  readonly prefix: string;
  /** The object folder, which several worktrees can share. */
  readonly objects: string;
  readonly #env: Environment;

  constructor({ gitDir, root, prefix, objects }: RepositoryPaths, env: Environment) {
    this.gitDir = gitDir;
    this.root = root;
    this.prefix = prefix;
    this.objects = objects;
    this.#env = { ...withoutRepositoryVariables(env), GIT_DIR: gitDir, GIT_WORK_TREE: root };
  }

  /** Returns `undefined` outside a working tree and if git is not installed. */
  static async find(folder: string, env: Environment): Promise<Repository | undefined> {
    try {
      const fields = ['--absolute-git-dir', '--show-toplevel', '--show-prefix', '--git-path', 'objects'];
      const { output } = await runGit(
        folder,
        ['rev-parse', '--path-format=absolute', ...fields],
        withoutRepositoryVariables(env),
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
    // Read the settings each time, because an agent may have changed them.
    const overrides = safeCommands.has(args[0]!) ? {} : await disablePrograms(this.gitDir, this.#env);
    return runGit(folder, args, { ...this.#env, ...overrides, ...options.env }, options);
  }

  async text(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
    return (await this.run(folder, args, options)).output.toString().trimEnd();
  }
}

export interface GitResult {
  readonly code: number;
  readonly output: Buffer;
}

/** Overrides that disable the programs configured in the repository. Programs from the user's own settings stay enabled. */
async function disablePrograms(gitDir: string, env: Environment): Promise<Environment> {
  const query = ['config', '--show-scope', '-z', '--get-regexp', programSettings];
  const { output } = await runGit(gitDir, query, env, { expected: [1] });
  const parts = output.toString().split('\0');
  const [local, trusted] = [new Set<string>(), new Map<string, string>()];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...value] = parts[at + 1]!.split('\n');
    if (parts[at] !== 'local' && parts[at] !== 'worktree') trusted.set(key, value.join('\n'));
    else local.add(key.replace(/^(hook\..*)\.[^.]*$/, '$1.enabled'));
  }
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const settings = [...local].flatMap((key, at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, trusted.get(key) ?? safeValue(key)],
  ]);
  return local.size === 0
    ? {}
    : { ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(first + local.size) };
}

function safeValue(key: string): string {
  if (key.endsWith('.driver')) return builtInMerge;
  return key.endsWith('.required') || key.startsWith('hook.') ? 'false' : '';
}

/** Merges two versions of a text with their common base. Returns `undefined` if they conflict. */
export async function mergeTexts(
  folder: string,
  { ours, base, theirs }: { readonly ours: string; readonly base: string; readonly theirs: string },
  env: Environment,
): Promise<Buffer | undefined> {
  const conflicts = Array.from({ length: 127 }, (_, at) => at + 1);
  const args = ['merge-file', '-p', '-q', ours, base, theirs];
  const { code, output } = await runGit(folder, args, withoutRepositoryVariables(env), {
    expected: conflicts,
  });
  return code === 0 ? output : undefined;
}

/** Compares two folders as they are on disk, as a patch from `a` to `b`. */
export async function diffFolders(folder: string, a: string, b: string, env: Environment): Promise<Buffer> {
  const flags = ['--no-index', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', '--no-prefix'];
  const { output } = await runGit(folder, ['diff', ...flags, a, b], withoutRepositoryVariables(env), {
    expected: [1],
  });
  return output;
}

async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  { input, expected = [] }: GitOptions = {},
): Promise<GitResult> {
  const { spawn } = await import('node:child_process');
  const child = spawn('git', [...safeConfig, ...args], {
    cwd: folder,
    env: { ...env, ...offline, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: timeoutMs,
  });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number>((done, fail) => {
    child.on('error', (cause) =>
      fail(new Failure('unavailable', `git could not be started: ${cause.message}`, { cause })),
    );
    child.on('close', (exit) => done(exit ?? -1));
  });
  if (code !== 0 && !expected.includes(code)) {
    const message = Buffer.concat(errors).toString().trim().split('\n').at(-1) ?? '';
    throw new Failure('tool-failed', `git ${args[0]} failed with code ${code}: ${message}`);
  }
  return { code, output: Buffer.concat(output) };
}
