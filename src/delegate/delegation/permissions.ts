import { promises as disk } from 'node:fs';
import { Failure } from '../../failure.ts';
import { isObject } from '../../json.ts';
import { isSandbox, narrowest, type Sandbox } from '../agents/sandbox.ts';
import { isBelow, protectionReason } from './protected-folders.ts';

/** Who is asking, where the client tells it: the thread it comes from and what that thread may touch. */
export interface Caller {
  readonly threads: readonly string[];
  readonly sandbox?: Sandbox;
  /** The folders it works in, as far as it names them. */
  readonly workspaces: readonly string[];
}

/** Codex sends these facts with every call of a tool. */
export function readCaller(meta: Readonly<Record<string, unknown>>): Caller {
  const told = meta['x-codex-turn-metadata'];
  const facts = typeof told === 'string' ? parse(told) : told;
  if (!isObject(facts)) return { threads: [], workspaces: [] };
  const { thread_id, session_id, sandbox_mode: mode, workspaces } = facts;
  return {
    threads: [thread_id, session_id].filter((id) => typeof id === 'string'),
    workspaces: isObject(workspaces) ? Object.keys(workspaces) : [],
    // A mode we have not heard of is trusted with the least.
    ...(mode !== undefined && { sandbox: isSandbox(mode) ? mode : 'read-only' }),
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
  /** Protected folders in which writing is allowed nevertheless. */
  readonly writeFolders: readonly string[];
  readonly userHome: string;
  /** The working directory of the server. */
  readonly startedIn: string;
}

export interface GrantedSandbox {
  readonly sandbox: Sandbox;
  /** Told to the caller when it gets less than it asked for. */
  readonly warning?: string;
}

/** Never more than the caller has or the settings allow; delegating is no way to more. */
export async function grantSandbox(
  wanted: Sandbox,
  cwd: string,
  caller: Caller,
  limits: PermissionLimits,
): Promise<GrantedSandbox> {
  const { ceiling, dangerFolders } = limits;
  const sandbox = narrowest(wanted, ceiling, (await reachOf(caller, cwd, limits)) ?? wanted);
  if (sandbox === 'danger-full-access' && !(await isInside(cwd, dangerFolders)))
    throw new Failure(
      'refused',
      `danger-full-access is not allowed in ${cwd}; name the folder in delegate.danger_folders to allow it.`,
    );
  if (sandbox === 'workspace-write') await refuseProtected(cwd, limits);
  if (sandbox === wanted) return { sandbox };
  const whose = sandbox === ceiling ? 'delegate.sandbox_ceiling allows' : 'the calling thread has';
  return { sandbox, warning: `The run got the sandbox ${sandbox} instead of ${wanted}: ${whose} no more.` };
}

/** What the caller could do itself in that folder; `undefined` when it does not tell. */
async function reachOf(
  { sandbox, workspaces }: Caller,
  cwd: string,
  limits: PermissionLimits,
): Promise<Sandbox | undefined> {
  if (sandbox !== 'workspace-write') return sandbox;
  // Outside of git Codex names no workspace. It starts its servers in the folder it works in.
  const own = workspaces.length > 0 ? workspaces : await unprotected(limits);
  return (await isInside(cwd, own)) ? sandbox : 'read-only';
}

/** A server that was started in the home folder or the root does not say where its caller works. */
async function unprotected({ startedIn, userHome }: PermissionLimits): Promise<string[]> {
  const [place, home] = await Promise.all([realpath(startedIn), realpath(userHome)]);
  return place === undefined || protectionReason(place, home ?? userHome) !== undefined ? [] : [startedIn];
}

async function refuseProtected(cwd: string, { userHome, writeFolders }: PermissionLimits): Promise<void> {
  const [place, home] = await Promise.all([realpath(cwd), realpath(userHome)]);
  const reason = place === undefined ? undefined : protectionReason(place, home ?? userHome);
  if (reason === undefined || (await isInside(cwd, writeFolders))) return;
  throw new Failure(
    'refused',
    `workspace-write is not allowed in ${cwd}: ${reason}. Choose the folder of the project, ask for read-only, or name the folder in delegate.write_folders.`,
  );
}

async function isInside(cwd: string, folders: readonly string[]): Promise<boolean> {
  const place = await realpath(cwd);
  const allowed = await Promise.all(folders.map(realpath));
  return allowed.some((folder) => place !== undefined && folder !== undefined && isBelow(place, folder));
}

function realpath(path: string): Promise<string | undefined> {
  return disk.realpath(path).catch(() => undefined);
}
