import { constants, promises as disk } from 'node:fs';
import { delimiter, dirname, join, resolve, sep } from 'node:path';
import { Failure } from '../../failure.ts';

/** The file behind a command: a path as it stands, a bare name looked up on the PATH. */
export async function findExecutable(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  way: string,
): Promise<string> {
  const places =
    command.includes('/') || command.includes(sep)
      ? [resolve(command)]
      : (env['PATH'] ?? '')
          .split(delimiter)
          .filter((folder) => folder !== '')
          .map((folder) => join(folder, command));
  const endings = process.platform === 'win32' ? ['', '.exe'] : [''];
  for (const place of places) {
    for (const ending of endings) {
      if (await isProgram(place + ending)) return place + ending;
    }
  }
  const missing =
    places.length === 1 ? `${places[0]} is not an executable file` : `${command} is not on the PATH`;
  throw new Failure('unavailable', `${missing}; ${way}`);
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

/** npm puts a script before the real codex, which costs time and stands between us and the process; this is what it starts. */
export async function behindShim(executable: string): Promise<string> {
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

/** The first version number the program names when asked; `undefined` when it names none. */
export async function versionOf(
  executable: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { execFile } = await import('node:child_process');
  return new Promise((done) => {
    execFile(executable, ['--version'], { env, timeout: 5_000, killSignal: 'SIGKILL' }, (_, stdout) =>
      done(/\d+\.\d+\.\d+/.exec(stdout)?.[0]),
    );
  });
}
