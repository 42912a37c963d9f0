import { constants, promises as disk } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';
import { capture } from '../launch/launch.ts';

/**
 * Resolves a command to a program that can be started without a shell. A command with a slash is a path; any other is looked
 * up on the PATH. `platform` is a parameter for tests.
 */
export async function findExecutable(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  hint: string,
  platform = process.platform,
): Promise<string> {
  const isWindows = platform === 'win32';
  const folders = (variable(env, 'PATH', isWindows) ?? '').split(isWindows ? ';' : delimiter);
  const paths = /[/\\]/.test(isWindows ? command : command.replaceAll('\\', ''))
    ? [resolve(command)]
    : folders.filter((folder) => folder !== '').map((folder) => join(folder, command));
  // npm also creates a shell script without an extension, which Windows cannot start.
  const extensions = isWindows && !/\.\w+$/.test(command) ? windowsExtensions(env) : [''];
  for (const path of paths) {
    for (const extension of extensions) {
      if (!(await isProgram(path + extension, isWindows))) continue;
      return isWindows ? followBatchFile(path + extension, hint) : path + extension;
    }
  }
  const missing =
    paths.length === 1 ? `${paths[0]} is not an executable file` : `${command} is not on the PATH`;
  throw new Failure('unavailable', `${missing}; ${hint}`);
}

function windowsExtensions(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const given = variable(env, 'PATHEXT', true) || '.COM;.EXE;.BAT;.CMD';
  return given
    .toLowerCase()
    .split(';')
    .filter((extension) => extension !== '');
}

/** Windows ignores the case of variables: most have `Path`, not `PATH`. */
function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  ignoresCase: boolean,
): string | undefined {
  const key = ignoresCase ? Object.keys(env).find((one) => one.toUpperCase() === name) : name;
  return key === undefined ? undefined : env[key];
}

/**
 * Returns the script or program that a batch file of npm starts. Node does not start batch files without a shell, and a shell
 * would interpret the arguments.
 */
async function followBatchFile(path: string, hint: string): Promise<string> {
  if (!/\.(cmd|bat)$/i.test(path)) return path;
  const text = await readRegularFile(path);
  const targets = [...text.matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+\.(?:[cm]?js|exe))"/gi)].map(([, target]) =>
    join(dirname(path), ...target!.split('\\')),
  );
  // The shim of a script names node.exe beside it first.
  const target = targets.findLast((one) => !/[/\\]node\.exe$/i.test(one));
  if (target !== undefined && (await isProgram(target, true))) return target;
  throw new Failure('unavailable', `${path} is a batch file that starts no known program; ${hint}`);
}

async function isProgram(path: string, ignoresMode = false): Promise<boolean> {
  try {
    if (!ignoresMode) await disk.access(path, constants.X_OK);
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
export async function resolveNpmShim(
  executable: string,
  system: NodeJS.Platform = process.platform,
): Promise<string> {
  const script = await disk.realpath(executable);
  if (!script.endsWith(join('@openai', 'codex', 'bin', 'codex.js'))) return executable;
  const platform = `${system}-${process.arch}`;
  const triple = triples[platform];
  if (triple === undefined) return executable;
  const { createRequire } = await import('node:module');
  try {
    const manifest = createRequire(script).resolve(`@openai/codex-${platform}/package.json`);
    const file = system === 'win32' ? 'codex.exe' : 'codex';
    const native = join(dirname(manifest), 'vendor', triple, 'bin', file);
    return (await isProgram(native, system === 'win32')) ? native : executable;
  } catch {
    return executable;
  }
}

/** Runs the program with `--version` and returns the first version number, or `undefined` if it prints none. */
export async function readVersion(
  executable: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const { output } = await capture({ command: executable, args: ['--version'], env }, { timeoutMs: 15_000 });
  return /\d+\.\d+\.\d+/.exec(output.toString())?.[0];
}
