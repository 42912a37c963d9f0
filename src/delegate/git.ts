import { Failure } from '../failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface GitOptions {
  readonly env?: Environment;
  readonly input?: string | Buffer;
  /** Exit codes that are answers, beside 0. */
  readonly expected?: readonly number[];
}

/** What the repository's own settings could make git start, and what could make it wait or write. */
const quiet = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'core.quotePath=false'];

/** Runs git and gives what it printed. */
export async function git(
  folder: string,
  args: readonly string[],
  env: Environment,
  { env: more = {}, input, expected = [] }: GitOptions = {},
): Promise<{ readonly code: number; readonly output: Buffer }> {
  const { spawn } = await import('node:child_process');
  const child = spawn('git', [...quiet, ...args], {
    cwd: folder,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C', ...more },
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

export async function gitText(...given: Parameters<typeof git>): Promise<string> {
  return (await git(...given)).output.toString().trimEnd();
}

/** A working tree under git, seen from one of its folders. */
export interface Repository {
  readonly root: string;
  /** The folder within it: empty at the root, else with a slash at its end. */
  readonly prefix: string;
}

/** `undefined` outside of a working tree, and where there is no git. */
export async function findRepository(folder: string, env: Environment): Promise<Repository | undefined> {
  try {
    const [root, prefix = ''] = (
      await gitText(folder, ['rev-parse', '--show-toplevel', '--show-prefix'], env)
    ).split('\n');
    return root ? { root, prefix } : undefined;
  } catch {
    return undefined;
  }
}
