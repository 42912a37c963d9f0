import { Failure } from '../../failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly env?: Environment;
  readonly input?: Buffer;
  /** Exit codes that are answers, beside 0. */
  readonly expected?: readonly number[];
}

export type RepositoryPlace = Pick<Repository, 'gitDir' | 'root' | 'prefix' | 'objects'>;

/** What a repository's own settings could make git start; programs with a name of their own are taken out one by one. */
const quiet = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.quotePath', 'false'],
  // In a submodule its own settings count, and ours do not reach the git that is started there.
  ['submodule.recurse', 'false'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);
const named = String.raw`^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver|hook\..*)$`;
/** Commands that look at no file and at no index, and so never start any of these programs. */
const harmlessCommands = new Set(['rev-parse', 'diff-tree', 'ls-tree', 'commit-tree']);
/** What git does where no driver is named. */
const ownMerge = 'git merge-file -q --marker-size=%L %A %O %B';
/** Objects that a repository has left elsewhere are not fetched: its settings say by which program. */
const offline = { GIT_ALLOW_PROTOCOL: 'none', GIT_NO_LAZY_FETCH: '1' };

/** Git waits for ever on a named pipe called .gitignore or .gitattributes. */
const longestMs = 10 * 60_000;

/** What git itself sets for the programs it starts, such as a hook that starts us: it is about another repository. */
const elsewhere = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_PREFIX',
  'GIT_NAMESPACE',
]);

function anywhere(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !elsewhere.has(name)));
}

/**
 * A working tree under git, seen from one of its folders. Where its settings lie is looked up once, before any agent has
 * worked in it: a `.git` that turns up later must not decide which programs git starts for us.
 */
export class Repository {
  readonly gitDir: string;
  readonly root: string;
  /** The folder within it: empty at the root, else with a slash at its end. */
  readonly prefix: string;
  /** The folder of its objects, which several working trees may share. */
  readonly objects: string;
  readonly #env: Environment;

  constructor({ gitDir, root, prefix, objects }: RepositoryPlace, env: Environment) {
    this.gitDir = gitDir;
    this.root = root;
    this.prefix = prefix;
    this.objects = objects;
    this.#env = { ...anywhere(env), GIT_DIR: gitDir, GIT_WORK_TREE: root };
  }

  /** `undefined` outside of a working tree, and where there is no git. */
  static async find(folder: string, env: Environment): Promise<Repository | undefined> {
    try {
      const asked = ['--absolute-git-dir', '--show-toplevel', '--show-prefix', '--git-path', 'objects'];
      const { output } = await runGit(
        folder,
        ['rev-parse', '--path-format=absolute', ...asked],
        anywhere(env),
      );
      const [gitDir = '', root, prefix = '', objects = ''] = output.toString().split('\n');
      return root ? new Repository({ gitDir, root, prefix, objects }, env) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Enough to find it again without looking into its folder. */
  get place(): RepositoryPlace {
    const { gitDir, root, prefix, objects } = this;
    return { gitDir, root, prefix, objects };
  }

  async run(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    // Asked anew each time, since an agent may have changed the settings.
    const guards = harmlessCommands.has(args[0]!) ? {} : await guardsFor(this.gitDir, this.#env);
    return runGit(folder, args, { ...this.#env, ...guards, ...options.env }, options);
  }

  async text(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
    return (await this.run(folder, args, options)).output.toString().trimEnd();
  }
}

export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
}

/** Settings that take back what a repository names to be started. What the person has set for all of them stays. */
async function guardsFor(gitDir: string, env: Environment): Promise<Environment> {
  const asked = ['config', '--show-scope', '-z', '--get-regexp', named];
  const { output } = await runGit(gitDir, asked, env, { expected: [1] });
  const parts = output.toString().split('\0');
  const [own, trusted] = [new Set<string>(), new Map<string, string>()];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', ...value] = parts[at + 1]!.split('\n');
    if (parts[at] !== 'local' && parts[at] !== 'worktree') trusted.set(key, value.join('\n'));
    else own.add(key.replace(/^(hook\..*)\.[^.]*$/, '$1.enabled'));
  }
  const first = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const settings = [...own].flatMap((key, at) => [
    [`GIT_CONFIG_KEY_${first + at}`, key],
    [`GIT_CONFIG_VALUE_${first + at}`, trusted.get(key) ?? harmless(key)],
  ]);
  return own.size === 0
    ? {}
    : { ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(first + own.size) };
}

function harmless(key: string): string {
  if (key.endsWith('.driver')) return ownMerge;
  return key.endsWith('.required') || key.startsWith('hook.') ? 'false' : '';
}

async function runGit(
  folder: string,
  args: readonly string[],
  env: Environment,
  { input, expected = [] }: GitOptions = {},
): Promise<GitAnswer> {
  const { spawn } = await import('node:child_process');
  const child = spawn('git', [...quiet, ...args], {
    cwd: folder,
    env: { ...env, ...offline, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: longestMs,
  });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = await new Promise<number>((done, fail) => {
    child.on('error', (cause) =>
      fail(new Failure('unavailable', `git cannot be started: ${cause.message}`, { cause })),
    );
    child.on('close', (exit) => done(exit ?? -1));
  });
  if (code !== 0 && !expected.includes(code)) {
    const said = Buffer.concat(errors).toString().trim().split('\n').at(-1) ?? '';
    throw new Failure('tool-failed', `git ${args[0]} failed with code ${code}: ${said}`);
  }
  return { code, output: Buffer.concat(output) };
}
