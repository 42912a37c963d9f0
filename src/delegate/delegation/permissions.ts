import { promises as disk } from 'node:fs';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { isSandbox, narrowest, type Sandbox } from '../agents/sandbox.ts';
import { isInFolder, protectionReason } from './protected-folders.ts';

/** The calling thread and its permissions, as far as the client sends them. */
export interface Caller {
  readonly threads: readonly string[];
  readonly sandbox?: Sandbox;
  /** The folders that the calling thread may write to. */
  readonly workspaces: readonly string[];
  /** The widest sandbox that the caller's token allows. Absent for the owner. */
  readonly ceiling?: Sandbox;
}

/** Reads the metadata that Codex sends with every tool call, and the limits of the caller's token. */
export function readCaller({ meta, actor }: Pick<Context, 'meta' | 'actor'>): Caller {
  const ceiling = actor.rights && { ceiling: actor.rights.sandbox };
  const sent = meta['x-codex-turn-metadata'];
  const metadata = typeof sent === 'string' ? parse(sent) : sent;
  if (!isObject(metadata)) return { threads: [], workspaces: [], ...ceiling };
  const { thread_id, session_id, sandbox_mode: mode, workspaces } = metadata;
  return {
    threads: [thread_id, session_id].filter((id) => typeof id === 'string'),
    workspaces: isObject(workspaces) ? Object.keys(workspaces) : [],
    // An unknown mode gets the narrowest sandbox.
    ...(mode !== undefined && { sandbox: isSandbox(mode) ? mode : 'read-only' }),
    ...ceiling,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface PermissionLimits {
  readonly ceiling: Sandbox;
  readonly dangerFolders: readonly string[];
  /** Protected folders that runs may write to anyway. */
  readonly writeFolders: readonly string[];
  readonly userHome: string;
  /** The working directory of the server. */
  readonly startedIn: string;
}

export interface GrantedSandbox {
  readonly sandbox: Sandbox;
  /** Set if the sandbox is narrower than requested. */
  readonly warning?: string;
}

/** Narrows the requested sandbox to what the caller has and the settings allow. */
export async function grantSandbox(
  requested: Sandbox,
  cwd: string,
  caller: Caller,
  limits: PermissionLimits,
): Promise<GrantedSandbox> {
  const { dangerFolders } = limits;
  const ceiling = narrowest(limits.ceiling, caller.ceiling ?? limits.ceiling);
  const sandbox = narrowest(requested, ceiling, (await callerSandbox(caller, cwd, limits)) ?? requested);
  if (sandbox === 'danger-full-access' && !(await isInside(cwd, dangerFolders)))
    throw new Failure(
      'refused',
      `danger-full-access is not allowed in ${cwd}. To allow it, add the folder to delegate.danger_folders.`,
    );
  if (sandbox === 'workspace-write') await refuseProtected(cwd, limits);
  if (sandbox === requested) return { sandbox };
  const reason =
    sandbox !== ceiling
      ? 'the calling thread has'
      : sandbox === limits.ceiling
        ? 'delegate.sandbox_ceiling allows'
        : 'the scope of the token allows';
  return {
    sandbox,
    warning: `The run got the sandbox ${sandbox} instead of ${requested}: ${reason} no more.`,
  };
}

/** The caller's own sandbox in that folder; `undefined` if the client does not send it. */
async function callerSandbox(
  { sandbox, workspaces }: Caller,
  cwd: string,
  limits: PermissionLimits,
): Promise<Sandbox | undefined> {
  if (sandbox !== 'workspace-write') return sandbox;
  // Outside git repositories, Codex sends no workspaces. It starts its MCP servers in its working folder.
  const writable = workspaces.length > 0 ? workspaces : await startFolder(limits);
  return (await isInside(cwd, writable)) ? sandbox : 'read-only';
}

/** The folder the server was started in, unless it is protected: then it is not the caller's project. */
async function startFolder({ startedIn, userHome }: PermissionLimits): Promise<string[]> {
  const [path, home] = await Promise.all([realpath(startedIn), realpath(userHome)]);
  return path === undefined || protectionReason(path, home ?? userHome) !== undefined ? [] : [startedIn];
}

async function refuseProtected(cwd: string, { userHome, writeFolders }: PermissionLimits): Promise<void> {
  const [path, home] = await Promise.all([realpath(cwd), realpath(userHome)]);
  const reason = path === undefined ? undefined : protectionReason(path, home ?? userHome);
  if (reason === undefined || (await isInside(cwd, writeFolders))) return;
  throw new Failure(
    'refused',
    `workspace-write is not allowed in ${cwd}: ${reason}. Use the project folder, request read-only, or add the folder to delegate.write_folders.`,
  );
}

async function isInside(cwd: string, folders: readonly string[]): Promise<boolean> {
  const path = await realpath(cwd);
  const allowed = await Promise.all(folders.map(realpath));
  return allowed.some((folder) => path !== undefined && folder !== undefined && isInFolder(path, folder));
}

function realpath(path: string): Promise<string | undefined> {
  return disk.realpath(path).catch(() => undefined);
}
