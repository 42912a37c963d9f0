import { delimiter, resolve } from 'node:path';
import type { Confinement } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { Program } from '../process/containment.ts';
import { checkEnvironment, type Environment } from '../process/environment.ts';
import { launch } from '../process/launch.ts';
import { absoluteFolders, findIn } from '../process/programs.ts';

export interface CheckResult {
  readonly command: string;
  readonly status: 'passed' | 'failed' | 'timed-out' | 'refused';
  readonly exit_code: number | null;
  /** The end of the command's output, or why it was not run. */
  readonly output: string;
}

export interface CheckOptions {
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly env: Environment;
  /** The variables that a check does not get. */
  readonly hiddenVariables: readonly string[];
  /** Prefixes of the commands that may run. `all` if the caller has chosen them. */
  readonly allowed: readonly string[] | 'all';
  /** Returns `undefined` if no sandbox is available. */
  confine(): Promise<Confinement | undefined>;
  /** Puts the program into the sandbox of Adjutant and the isolated view of the job. */
  wrap?(program: Confinement): Promise<Program>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const maxOutputLength = 4_000;
const lingerMs = 1_000;

/** Runs the checks of a job one after the other, in the sandbox of the job. */
export async function runChecks(commands: readonly string[], options: CheckOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const command of commands) {
    if (options.signal.aborted) break;
    results.push(await runCheck(command, options));
  }
  return results;
}

async function runCheck(command: string, options: CheckOptions): Promise<CheckResult> {
  const refuse = (output: string): CheckResult => ({ command, status: 'refused', exit_code: null, output });
  const words = parseCommand(command);
  if (words === undefined)
    return refuse('Not run: the check is not a single plain command. Shell syntax is not supported.');
  if (options.allowed !== 'all' && !isAllowed(words, options.allowed))
    return refuse('Not run: the command does not start with an entry of autopilot.checks.');
  const confined =
    options.sandbox === 'danger-full-access' ? await unconfined(words, options) : await options.confine();
  if (confined === undefined) return refuse('Not run: the agent has no sandbox in which to run the command.');
  const args = options.sandbox === 'danger-full-access' ? confined.args : [...confined.args, ...words];
  const program = { ...confined, args };
  return execute(command, { ...program, ...(await options.wrap?.(program)) }, options);
}

/** A check without a sandbox can be a program of the workspace, but only if the user's PATH names its folder in full. */
async function unconfined(
  [name = '', ...args]: readonly string[],
  { cwd, env }: CheckOptions,
): Promise<Confinement> {
  const folders = absoluteFolders(env);
  const command = /[/\\]/.test(name) ? resolve(cwd, name) : ((await findIn(folders, name, env)) ?? name);
  return { command, args, env: { PATH: folders.join(delimiter) } };
}

async function execute(
  command: string,
  program: Confinement,
  { cwd, env, hiddenVariables, timeoutMs, signal }: CheckOptions,
): Promise<CheckResult> {
  const child = await launch(
    { ...program, cwd, env: checkEnvironment(env, program.env, hiddenVariables) },
    // A separate process group, so that child processes can be killed too.
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let output = '';
  const append = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-maxOutputLength);
  };
  child.stdout!.on('data', append);
  child.stderr!.on('data', append);
  let timedOut = false;
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const code = await new Promise<number | null>((done) => {
    child.on('error', (error) => {
      output = describeStartError(program.command, error);
      done(null);
    });
    // Child processes that are still running would keep the output open.
    child.on('exit', (exit) => {
      kill();
      const timeout = setTimeout(done, lingerMs, exit);
      child.on('close', () => {
        clearTimeout(timeout);
        done(exit);
      });
    });
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', kill);
  const status = timedOut ? 'timed-out' : code === 0 ? 'passed' : 'failed';
  return { command, status, exit_code: code, output: output.trim() };
}

/** Node reports EACCES instead of ENOENT if a folder on the PATH is not readable. */
function describeStartError(program: string, { code, message }: NodeJS.ErrnoException): string {
  if (code !== 'ENOENT' && code !== 'EACCES') return message;
  return `${program} could not be started: it is not on the PATH, or this user may not run it (${code}).`;
}

/** Splits a command line into words. Returns `undefined` for anything that needs a shell. */
export function parseCommand(line: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s*(?:"([^"$`\\]*)"|'([^']*)'|([^\s"'\\;|&<>$`(){}*?~#!]+))(?=\s|$)/gy;
  const text = line.trim();
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    words.push(found[1] ?? found[2] ?? found[3]!);
  }
  return words.length === 0 || words[0]!.includes('=') || words[0]!.startsWith('-') ? undefined : words;
}

/** An entry allows every command that starts with the same words. */
export function isAllowed(words: readonly string[], allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const start = entry.trim().split(/\s+/);
    return start[0] !== '' && start.every((word, at) => word === words[at]);
  });
}
