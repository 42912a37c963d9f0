import { spawn } from 'node:child_process';
import { parse } from 'node:path';

export interface ProgramResult {
  /** The exit code; undefined if the program could not be started or was stopped. */
  readonly code?: number | undefined;
  readonly error?: NodeJS.ErrnoException;
  /** The end of its output. */
  readonly output: string;
}

/**
 * Runs a program without a shell, with `input` on its standard input. It works in the root folder, so that relative folders of the PATH,
 * such as `node_modules/.bin`, are none that an agent or a repository can write to. Never throws.
 */
export async function runProgram(
  file: string,
  args: readonly string[],
  { input = '', ...options }: { input?: string; signal?: AbortSignal; timeout?: number } = {},
): Promise<ProgramResult> {
  const { promise, resolve } = Promise.withResolvers<ProgramResult>();
  const child = spawn(file, args, {
    cwd: parse(process.execPath).root,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...options,
  });
  let output = '';
  // Without free file handles, the process has no streams, and the error below is the result.
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-2000);
    });
  child.once('error', (error) => resolve({ error, output }));
  child.once('close', (code) => resolve({ code: code ?? undefined, output }));
  child.stdin?.once('error', () => undefined);
  child.stdin?.end(input);
  return promise;
}
