import { Failure } from '../failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly env?: Environment;
  readonly input?: Buffer;
  /** Exit codes that are answers, beside 0. */
  readonly expected?: readonly number[];
}

export type RepositoryPlace = Pick<Repository, 'gitDir' | 'root' | 'prefix' | 'objects'>;

/** What a repository's own settings could make git start. */
const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'];

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
    this.#env = { ...env, GIT_DIR: gitDir, GIT_WORK_TREE: root };
  }

  /** `undefined` outside of a working tree, and where there is no git. */
  static async find(folder: string, env: Environment): Promise<Repository | undefined> {
    try {
      const asked = ['--absolute-git-dir', '--show-toplevel', '--show-prefix', '--git-path', 'objects'];
      const { output } = await runGit(folder, ['rev-parse', '--path-format=absolute', ...asked], env);
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

  run(folder: string, args: readonly string[], options: GitOptions = {}): Promise<GitAnswer> {
    return runGit(folder, args, { ...this.#env, ...options.env }, options);
  }

  async text(folder: string, args: readonly string[], options?: GitOptions): Promise<string> {
    return (await this.run(folder, args, options)).output.toString().trimEnd();
  }
}

export interface GitAnswer {
  readonly code: number;
  readonly output: Buffer;
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
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'pipe'],
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
