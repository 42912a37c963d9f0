import { constants, promises as disk } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import { capture } from '../launch/launch.ts';

/** Resolves a command to a file. A command with a slash is a path; any other is looked up on the PATH. */
export async function findExecutable(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  hint: string,
): Promise<string> {
  const paths =
    command.includes('/') || command.includes(sep)
      ? [resolve(command)]
      : (env['PATH'] ?? '')
          .split(delimiter)
          .filter((folder) => folder !== '')
          .map((folder) => join(folder, command));
  const extensions = process.platform === 'win32' ? ['', '.exe'] : [''];
  for (const path of paths) {
    for (const extension of extensions) {
      if (await isProgram(path + extension)) return path + extension;
    }
  }
  const missing =
    paths.length === 1 ? `${paths[0]} is not an executable file` : `${command} is not on the PATH`;
  throw new Failure('unavailable', `${missing}; ${hint}`);
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await disk.access(path, constants.X_OK);
    return (await disk.stat(path)).isFile();
  } catch {
    return false;
  }
}

const triples: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
};

/** Resolves npm's codex launcher script to the native program, which starts faster and receives signals directly. */
export async function resolveNpmShim(executable: string): Promise<string> {
  const script = await disk.realpath(executable);
  if (!script.endsWith(join('@openai', 'codex', 'bin', 'codex.js'))) return executable;
  const platform = `${process.platform}-${process.arch}`;
  const triple = triples[platform];
  if (triple === undefined) return executable;
  const { createRequire } = await import('node:module');
  try {
    const manifest = createRequire(script).resolve(`@openai/codex-${platform}/package.json`);
    const file = process.platform === 'win32' ? 'codex.exe' : 'codex';
    const native = join(dirname(manifest), 'vendor', triple, 'bin', file);
    return (await isProgram(native)) ? native : executable;
  } catch {
    return executable;
  }
}

/** Runs the program with `--version` and returns the first version number, or `undefined` if it prints none. */
export async function readVersion(
  executable: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { output } = await capture({ command: executable, args: ['--version'], env }, { timeoutMs: 5_000 });
  return /\d+\.\d+\.\d+/.exec(output.toString())?.[0];
}
