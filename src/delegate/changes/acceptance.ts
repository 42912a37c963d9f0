import type { Confinement } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import { withoutSecrets } from '../files/redaction.ts';
import type { Environment } from './git.ts';

export interface CheckResult {
  readonly command: string;
  readonly status: 'passed' | 'failed' | 'timed-out' | 'refused';
  readonly exit_code: number | null;
  /** The end of what it printed, or why it was not run. */
  readonly output: string;
}

export interface CheckOptions {
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly env: Environment;
  /** The beginnings of the commands that may run. */
  readonly allowed: readonly string[];
  /** `undefined` where there is nothing to confine a command with. */
  confine(sandbox: Sandbox): Promise<Confinement | undefined>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const outputLength = 4_000;
const lingerMs = 1_000;

/** Runs the checks of a job one after the other, with no more power than the job itself had. */
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
  if (words === undefined) return refuse('It is not one plain command: shell syntax is not run.');
  if (!isAllowed(words, options.allowed)) return refuse('It is not among the commands of delegate.checks.');
  const confined =
    options.sandbox === 'danger-full-access'
      ? { command: words[0]!, args: words.slice(1), env: {} }
      : await options.confine(options.sandbox);
  if (confined === undefined) return refuse('The agent has no sandbox of its own to run it in.');
  const args = options.sandbox === 'danger-full-access' ? confined.args : [...confined.args, ...words];
  return execute(command, { ...confined, args }, options);
}

async function execute(
  command: string,
  program: Confinement,
  { cwd, env, timeoutMs, signal }: CheckOptions,
): Promise<CheckResult> {
  const { spawn } = await import('node:child_process');
  const child = spawn(program.command, program.args, {
    cwd,
    // The agent may have written what runs here, and in its own sandbox it has no secrets either.
    env: { ...withoutSecrets(env), CI: '1', ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it starts can be ended with it.
    detached: true,
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-outputLength);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let late = false;
  const end = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  };
  const timer = setTimeout(() => {
    late = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const code = await new Promise<number | null>((done) => {
    child.on('error', (error) => {
      output = startProblem(program.command, error);
      done(null);
    });
    // What it left running would keep its output open.
    child.on('exit', (exit) => {
      end();
      const lingering = setTimeout(done, lingerMs, exit);
      child.on('close', () => {
        clearTimeout(lingering);
        done(exit);
      });
    });
  });
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
  const status = late ? 'timed-out' : code === 0 ? 'passed' : 'failed';
  return { command, status, exit_code: code, output: output.trim() };
}

/** Where a folder on the PATH may not be read, a program that is not found is reported as EACCES. */
function startProblem(program: string, { code, message }: NodeJS.ErrnoException): string {
  if (code !== 'ENOENT' && code !== 'EACCES') return message;
  return `${program} cannot be started: no such program that this user may run is on the PATH (${code}).`;
}

/** The words of a command line without shell syntax; `undefined` for anything that needs a shell. */
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

/** An entry allows the command it spells and everything that begins with its words. */
export function isAllowed(words: readonly string[], allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const start = entry.trim().split(/\s+/);
    return start[0] !== '' && start.every((word, at) => word === words[at]);
  });
}
