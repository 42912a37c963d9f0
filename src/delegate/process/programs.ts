import { constants, promises as disk, existsSync } from 'node:fs';
import { delimiter, dirname, join, posix, win32 } from 'node:path';
import { regularFileChunks } from '../../regular-file.ts';
import type { Environment } from './environment.ts';
import { isInFolder, realpath, temporaryFolder } from './folder-scope.ts';

/**
 * Which programs Adjutant starts outside of sandboxes. An agent can write programs into its workspace, and a repository can
 * bring some, and such a folder can be on the user's PATH, for example `.venv/bin` or `./node_modules/.bin`. So:
 * - The programs of the system, such as git, come from fixed folders, and get a PATH that begins with these folders.
 * - An agent comes from a folder of the user's PATH that is absolute and outside of the workspace and of the temporary folder.
 *   It gets a PATH of such folders only, because it starts programs outside its sandbox too. Its sandboxed commands get the
 *   PATH of the user.
 */

/** The folders of the system and of its package managers. Runs cannot write there. */
const systemFolders = (
  process.platform === 'win32'
    ? 'C:\\Program Files\\Git\\cmd;C:\\Windows\\System32;C:\\Windows'
    : '/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/run/current-system/sw/bin:/nix/var/nix/profiles/default/bin'
).split(delimiter);

/** Variables with a list of folders from which programs load code or start other programs. */
const folderLists = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH'];

/** The programs of the system that were found so far. */
const found = new Map<string, string>();

/** The path of a program of the system. If it is not installed, the path does not exist, and the start fails with ENOENT. */
export async function systemProgram(
  name: string,
  env: Environment,
  untrusted: readonly string[] = [],
): Promise<string> {
  const known = found.get(name) ?? (await findIn(systemFolders, name, env));
  if (known !== undefined) found.set(name, known);
  return (
    known ?? (await findIn(await trustedFolders(env, untrusted), name, env)) ?? join(systemFolders[0]!, name)
  );
}

/** The environment of a program of the system: it finds other programs of the system first, and loads no other libraries. */
export async function systemEnvironment(
  env: Environment,
  untrusted: readonly string[] = [],
): Promise<Environment> {
  const kept = Object.entries(env).filter(([name]) => !/^(path$|LD_|DYLD_)/i.test(name));
  const folders = [...systemFolders, ...(await trustedFolders(env, untrusted))];
  return { ...Object.fromEntries(kept), PATH: [...new Set(folders)].join(delimiter) };
}

/** The folders of the user's PATH that no agent and no repository can have written to. */
export async function trustedFolders(
  env: Environment,
  untrusted: readonly string[],
  platform = process.platform,
): Promise<readonly string[]> {
  return onlyTrusted(absoluteFolders(env, platform), env, untrusted);
}

/** The folders of the user's PATH, without relative ones, which are in the folder in which a program happens to work. */
export function absoluteFolders(env: Environment, platform = process.platform): readonly string[] {
  return listOf(env, 'PATH', platform).filter((folder) => isAbsolute(folder, platform));
}

/** The variables of an agent that differ from those of the user, and the user's values for its sandboxed commands. */
export async function agentVariables(
  env: Environment,
  untrusted: readonly string[],
): Promise<{ readonly own: Record<string, string>; readonly commands: Record<string, string> }> {
  const own: Record<string, string> = {};
  const commands: Record<string, string> = {};
  for (const name of folderLists) {
    const value = env[name];
    if (value === undefined) continue;
    const absolute = value.split(delimiter).filter((folder) => isAbsolute(folder, process.platform));
    const trusted = (await onlyTrusted(absolute, env, untrusted)).join(delimiter);
    if (trusted === value) continue;
    own[name] = trusted;
    commands[name] = value;
  }
  return { own, commands };
}

/** The folders that an agent in these folders can write to, and the repositories around them. */
export async function workspaceFolders(
  folders: readonly (string | undefined)[],
  env: Environment,
): Promise<readonly string[]> {
  const home = await realpath(env['HOME'] ?? env['USERPROFILE'] ?? '');
  const all: string[] = [];
  for (const folder of folders) {
    const real = folder === undefined ? undefined : await realpath(folder);
    for (let at = real; at !== undefined && at !== dirname(at); at = dirname(at))
      if (at === real || existsSync(join(at, '.git'))) all.push(at);
  }
  // Runs can only read the root and the home folder, where programs are installed.
  return all.filter((folder) => home === undefined || !isInFolder(home, folder));
}

/** Tells which paths are in one of these folders, themselves or through links. */
export async function insideOf(folders: readonly string[]): Promise<(path: string) => Promise<boolean>> {
  const real = await Promise.all(folders.map(async (folder) => (await realpath(folder)) ?? folder));
  return async (path) => {
    const places = [path, await realpath(path), await realpath(dirname(path))];
    return places.some((place) => place !== undefined && real.some((folder) => isInFolder(place, folder)));
  };
}

/** The first program of this name in these folders. */
export async function findIn(
  folders: readonly string[],
  name: string,
  env: Environment,
  platform = process.platform,
): Promise<string | undefined> {
  for (const folder of folders)
    for (const extension of extensionsOf(name, env, platform))
      if (await isProgram(join(folder, name) + extension, platform)) return join(folder, name) + extension;
  return undefined;
}

/** The file names of a program on Windows. npm also creates a shell script without an extension, which cannot be started. */
function extensionsOf(name: string, env: Environment, platform = process.platform): readonly string[] {
  if (platform !== 'win32' || /\.\w+$/.test(name)) return [''];
  const given = variable(env, 'PATHEXT', platform) || '.COM;.EXE;.BAT;.CMD';
  return given
    .toLowerCase()
    .split(';')
    .filter((extension) => extension !== '');
}

export async function isProgram(path: string, platform = process.platform): Promise<boolean> {
  try {
    if (platform !== 'win32') await disk.access(path, constants.X_OK);
    return (await disk.stat(path)).isFile();
  } catch {
    return false;
  }
}

/**
 * The program and its first arguments that start a file, if the file is a script for a program on the PATH, such as
 * `#!/usr/bin/env node`. The program comes from these folders; without one, Node is the one that runs Adjutant.
 */
export async function interpreterOf(
  file: string,
  folders: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  if (process.platform === 'win32') return [];
  const [, name, rest = ''] =
    /^#!\s*\S*\/env\s+(?:-S\s*)?([^\s=/-][^\s=/]*)[ \t]*(.*)/.exec(await firstLine(file)) ?? [];
  if (name === undefined) return [];
  const program = (await findIn(folders, name, env)) ?? (name === 'node' ? process.execPath : undefined);
  return program === undefined ? [] : [program, ...rest.split(/\s+/).filter((word) => word !== '')];
}

async function onlyTrusted(
  folders: readonly string[],
  env: Environment,
  untrusted: readonly string[],
): Promise<readonly string[]> {
  const isUntrusted = await insideOf([...untrusted, temporaryFolder(env)]);
  const results = await Promise.all(
    folders.map((folder) => (systemFolders.includes(folder) ? false : isUntrusted(folder))),
  );
  return folders.filter((_, at) => !results[at]);
}

async function firstLine(file: string): Promise<string> {
  for await (const chunk of regularFileChunks(file)) return chunk.toString().split('\n', 1)[0]!;
  return '';
}

function listOf(env: Environment, name: string, platform: NodeJS.Platform): readonly string[] {
  return (variable(env, name, platform) ?? '').split(platform === 'win32' ? ';' : delimiter);
}

/** Windows ignores the case of variables: most have `Path`, not `PATH`. */
function variable(env: Environment, name: string, platform: NodeJS.Platform): string | undefined {
  const key = platform === 'win32' ? Object.keys(env).find((one) => one.toUpperCase() === name) : name;
  return key === undefined ? undefined : env[key];
}

function isAbsolute(folder: string, platform: NodeJS.Platform): boolean {
  return (platform === 'win32' ? win32 : posix).isAbsolute(folder);
}
