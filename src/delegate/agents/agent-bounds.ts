import { promises as disk } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { temporaryFolder } from '../files/answer-folder.ts';
import { hiddenPaths, isInFolder } from '../files/folder-scope.ts';
import type { Bounds } from '../launch/bounds.ts';
import type { AcpDefinition } from './acp-definition.ts';
import type { AgentCall } from './agent.ts';

interface BoundsOptions {
  readonly userHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly unreadable: readonly string[];
  readonly ownFolders: readonly string[];
  readonly isTrusted: boolean;
  readonly storage: string;
}

/** Sockets through which a program can start others outside of the sandbox. */
const controlSockets = ['/run/user', '/run/dbus', '/run/docker.sock', '/run/containerd', '/run/podman'];

/** The limits for an agent that has no sandbox of its own. */
export async function agentBounds(
  definition: AcpDefinition,
  { cwd, sandbox }: AgentCall,
  options: BoundsOptions,
): Promise<Bounds | undefined> {
  const { userHome, env, isTrusted, storage } = options;
  const settings = isTrusted ? [] : await existing(repositorySettings(definition, cwd, userHome));
  const isUnrestricted = sandbox === 'danger-full-access';
  if (isUnrestricted && settings.length === 0) return undefined;
  if (isUnrestricted)
    return {
      writable: [],
      protected: [],
      hidden: settings,
      temporary: [],
      isReadOnly: false,
      storage,
    };
  const temporary = temporaryFolder(env);
  const sockets = [...controlSockets, env['XDG_RUNTIME_DIR'], join(tmpdir(), `adjutant-${userInfo().uid}`)];
  const kept = definition.state.filter(({ sessions }) => sessions === 'all');
  const own = kept.map(({ folder }) => resolve(userHome, folder));
  // The agent needs its files in the home folder, even if that is a folder of Adjutant too.
  const ownFolders = options.ownFolders.filter((folder) => !isInFolder(userHome, folder));
  const adjutant = await hiddenPaths({ unreadable: options.unreadable, ownFolders }, cwd);
  const mayWrite = sandbox === 'workspace-write';
  return {
    isReadOnly: true,
    writable: [temporary, ...own, ...(mayWrite ? [cwd] : [])],
    protected: mayWrite ? await existing([join(cwd, '.git')]) : [cwd],
    hidden: await existing([...sockets.filter((path) => path !== undefined), ...adjutant, ...settings]),
    temporary: definition.state.flatMap(({ folder, sessions }) =>
      sessions === 'all'
        ? []
        : [{ folder: resolve(userHome, folder), keeps: sessionFolders(userHome, folder, sessions) }],
    ),
    storage,
  };
}

/** The sandbox can only use folders that exist. */
export async function createStateFolders({ state }: AcpDefinition, userHome: string): Promise<void> {
  for (const { folder, sessions } of state)
    for (const path of sessionFolders(userHome, folder, sessions === 'all' ? [''] : ['', ...sessions]))
      await disk.mkdir(path, { recursive: true, mode: 0o700 });
}

function sessionFolders(userHome: string, folder: string, names: readonly string[]): readonly string[] {
  return names.map((name) => resolve(userHome, folder, name));
}

/** The settings in the folder and those above it, up to the home folder, which holds the user's own. */
function repositorySettings(definition: AcpDefinition, cwd: string, userHome: string): readonly string[] {
  const paths: string[] = [];
  for (let folder = cwd; folder !== userHome; folder = dirname(folder)) {
    paths.push(...definition.repositorySettings.map((name) => join(folder, name)));
    if (dirname(folder) === folder) break;
  }
  return paths.filter((path) => !isInFolder(path, '/proc'));
}

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map((path) => disk.stat(path).then(Boolean, () => false)));
  return [...new Set(paths.filter((_, at) => found[at]))];
}
