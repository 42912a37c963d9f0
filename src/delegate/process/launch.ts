import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { parse } from 'node:path';
import type { Environment } from './environment.ts';
import { systemEnvironment, systemProgram, workspaceFolders } from './programs.ts';

/** A program to start. Its environment is complete: nothing is inherited from this process. */
export interface Program {
  /** The path of a program. A name stands for a program of the system, such as git, which also gets a PATH of its own. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Environment;
  /** Default: the root folder, so that no project is in reach of a program that does not need one. */
  readonly cwd?: string;
}

export interface Captured {
  /** `null` if the program could not be started, was killed or timed out. */
  readonly code: number | null;
  readonly output: Buffer;
  readonly errors: Buffer;
  /** Whether the program was killed because it wrote too much. */
  readonly isOutputCut?: boolean;
  /** Why the program could not be started. */
  readonly startError?: Error;
}

export function loadSpawn(): Promise<typeof import('node:child_process')> {
  return import('node:child_process');
}

/**
 * Starts a program. This is the only place in this feature that does: agents, checks, git and probes all come here. Rejects
 * if there are no free file handles; other errors are events of the process.
 */
export async function launch(
  { command, args, env, cwd = parse(process.cwd()).root }: Program,
  options: Pick<SpawnOptions, 'detached' | 'stdio' | 'timeout' | 'killSignal' | 'signal'>,
): Promise<ChildProcess> {
  const { spawn } = await loadSpawn();
  // Windows cannot start a script by its first line.
  const isScript = process.platform === 'win32' && /\.[cm]?js$/i.test(command);
  const { file, variables } = await locate(command, env, cwd);
  const [program, words] = isScript ? [process.execPath, [file, ...args]] : [file, args];
  const child = spawn(program, words, {
    ...options,
    cwd,
    env: { ...variables },
    shell: false,
    windowsHide: true,
  });
  // Node returns such a process without streams, and reports the error later.
  if ((child as Partial<ChildProcess>).stdio === undefined)
    throw await new Promise((resolve) => child.once('error', resolve));
  return child;
}

/** The system must not look up a program: the PATH can name folders that an agent or a repository has written to. */
async function locate(
  command: string,
  env: Environment,
  cwd: string,
): Promise<{ readonly file: string; readonly variables: Environment }> {
  if (/[/\\]/.test(command)) return { file: command, variables: env };
  const untrusted = await workspaceFolders([cwd], env);
  return {
    file: await systemProgram(command, env, untrusted),
    variables: await systemEnvironment(env, untrusted),
  };
}

interface CaptureOptions {
  readonly input?: Buffer;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Kills the program when it has written more bytes than this to its standard output. */
  readonly maxOutput?: number;
}

/** Runs a program to its end and collects its output. Kills it after the time limit and on abort. */
export async function capture(program: Program, options: CaptureOptions): Promise<Captured> {
  const { input, timeoutMs, signal, maxOutput = Number.POSITIVE_INFINITY } = options;
  let child: ChildProcess;
  try {
    child = await launch(program, {
      stdio: 'pipe',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      ...(signal !== undefined && { signal }),
    });
  } catch (startError) {
    return { code: null, output: Buffer.alloc(0), errors: Buffer.alloc(0), startError: startError as Error };
  }
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  let written = 0;
  child.stdout!.on('data', (chunk: Buffer) => {
    written += chunk.length;
    if (written <= maxOutput) output.push(chunk);
    else child.kill('SIGKILL');
  });
  child.stderr!.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin!.on('error', () => {});
  child.stdin!.end(input);
  return new Promise((done) => {
    const finish = (code: number | null, startError?: Error) =>
      done({
        code,
        output: Buffer.concat(output),
        ...(written > maxOutput && { isOutputCut: true }),
        errors: Buffer.concat(errors),
        ...(startError !== undefined && { startError }),
      });
    child.on('error', (error) => finish(null, error));
    child.on('close', (code) => finish(code));
  });
}
