import { promises as disk } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { Environment } from '../process/environment.ts';
import { capture } from '../process/launch.ts';
import {
  absoluteFolders,
  agentVariables,
  findIn,
  insideOf,
  isProgram,
  trustedFolders,
} from '../process/programs.ts';
import type { Agent, Workspaces } from './agent.ts';

/** Where the program of an agent is looked for. */
export interface Search {
  readonly env: Environment;
  /** What to do if the program is not found. */
  readonly hint: string;
  /** Folders that the agent can write to. No program in them is started. */
  readonly untrusted?: readonly string[];
  /** For tests. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Resolves a command to a program that can be started without a shell. A command with a slash is a path; any other is looked
 * up on the PATH.
 */
export async function findExecutable(command: string, search: Search): Promise<string> {
  const { env, hint, untrusted = [], platform = process.platform } = search;
  const isPath = /[/\\]/.test(platform === 'win32' ? command : command.replaceAll('\\', ''));
  const isUntrusted = await insideOf(untrusted);
  const places = isPath ? [dirname(resolve(command))] : await trustedFolders(env, untrusted, platform);
  const name = isPath ? basename(command) : command;
  for (const folder of places) {
    const program = await findIn([folder], name, env, platform);
    if (program === undefined || (await isUntrusted(program))) continue;
    return platform === 'win32' ? followBatchFile(program, hint) : program;
  }
  const refused = await findIn(isPath ? places : absoluteFolders(env, platform), name, env, platform);
  if (refused !== undefined)
    throw new Failure(
      'unavailable',
      `${refused} is in ${isPath ? 'the workspace' : 'the workspace or in the temporary folder'}, where an agent can replace it, so it is not started; ${hint}`,
    );
  throw new Failure(
    'unavailable',
    `${isPath ? `${resolve(command)} is not an executable file` : `${command} is not on the PATH`}; ${hint}`,
  );
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
  if (target !== undefined && (await isProgram(target, 'win32'))) return target;
  throw new Failure('unavailable', `${path} is a batch file that starts no known program; ${hint}`);
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
    return (await isProgram(native, system)) ? native : executable;
  } catch {
    return executable;
  }
}

/** Runs the program with `--version` and returns the first version number, or `undefined` if it prints none. */
async function readVersion(
  executable: string,
  { env, untrusted = [] }: Pick<Search, 'env' | 'untrusted'>,
): Promise<string | undefined> {
  const { own } = await agentVariables(env, untrusted);
  const program = { command: executable, args: ['--version'], env: { ...env, ...own } };
  const { output } = await capture(program, { timeoutMs: 15_000 });
  return /\d+\.\d+\.\d+/.exec(output.toString())?.[0];
}

/** How to find the program of an agent, and its version. */
export function programOf(
  searchFor: (workspaces: Workspaces) => Promise<Search>,
  find: (search: Search) => Promise<string>,
): Pick<Agent, 'locate' | 'version'> {
  return {
    locate: async (...workspaces) => find(await searchFor(workspaces)),
    async version(...workspaces) {
      const search = await searchFor(workspaces);
      return readVersion(await find(search), search);
    },
  };
}
