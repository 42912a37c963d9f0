import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { isObject, parseJson } from '../../json.ts';
import { parseRule } from '../agents/protocols/approval-rules.ts';
import { isSandbox, narrowest, type Sandbox } from '../agents/sandbox.ts';
import { isInFolder, isInside, realpath } from '../process/folder-scope.ts';
import type { DelegateOptions } from './delegate-options.ts';

/** The calling thread and its permissions, as far as the client sends them. */
export interface Caller {
  readonly threads: readonly string[];
  readonly sandbox?: Sandbox;
  /** The folders that the calling thread may write to. */
  readonly workspaces: readonly string[];
  /** The folders that the client has open, if it says so. */
  readonly roots?: readonly string[];
  /** The widest sandbox that the caller's token allows. Absent for the owner. */
  readonly ceiling?: Sandbox;
}

/** Reads the metadata that Codex sends with every tool call, and the limits of the caller's token. */
export function readCaller({ meta, actor }: Pick<Context, 'meta' | 'actor'>): Caller {
  const ceiling = actor.rights && { ceiling: actor.rights.sandbox };
  const sent = meta['x-codex-turn-metadata'];
  const metadata = typeof sent === 'string' ? parseJson(sent) : sent;
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

/** Under the drop-in contract, a run in any folder may do without a sandbox, if the ceiling permits it. */
export type PermissionLimits = Pick<
  DelegateOptions,
  'document' | 'ceiling' | 'dangerFolders' | 'writeFolders' | 'userHome' | 'startedIn'
>;

export interface GrantedSandbox {
  readonly sandbox: Sandbox;
  /** Set if the sandbox is narrower than requested. */
  readonly warning?: string;
}

/** No system opens longer paths, and a run looks at every folder above its own. */
const maxPathLength = 4096;

/** Narrows the requested sandbox to what the caller has and the settings allow. */
export async function grantSandbox(
  requested: Sandbox,
  cwd: string,
  caller: Caller,
  limits: PermissionLimits,
): Promise<GrantedSandbox> {
  if (cwd.length > maxPathLength)
    throw new Failure('refused', `the working folder has a path of more than ${maxPathLength} characters`);
  const narrowing = await listNarrowing(requested, cwd, caller, limits);
  const sandbox = narrowest(requested, ...narrowing.map((one) => one.sandbox));
  await refuseByFolder(sandbox, cwd, limits);
  if (sandbox === requested) return { sandbox };
  const { reason } = narrowing.find((one) => one.sandbox === sandbox)!;
  return { sandbox, warning: `The run got the sandbox ${sandbox} instead of ${requested}: ${reason}.` };
}

interface Narrowing {
  readonly sandbox: Sandbox;
  readonly reason: string;
}

async function listNarrowing(
  requested: Sandbox,
  cwd: string,
  caller: Caller,
  limits: PermissionLimits,
): Promise<readonly Narrowing[]> {
  const found: Narrowing[] = [
    { sandbox: limits.ceiling, reason: 'delegate.sandbox_ceiling allows no more' },
    {
      sandbox: (await callerSandbox(caller, cwd, limits)) ?? requested,
      reason: 'the calling thread has no more',
    },
  ];
  if (caller.ceiling !== undefined)
    found.push({ sandbox: caller.ceiling, reason: 'the scope of the token allows no more' });
  if (caller.roots !== undefined && !(await isInside(cwd, caller.roots)))
    found.push({ sandbox: 'read-only', reason: `${cwd} is outside the folders that the client has open` });
  return found;
}

async function refuseByFolder(sandbox: Sandbox, cwd: string, limits: PermissionLimits): Promise<void> {
  if (sandbox === 'danger-full-access' && !limits.document && !(await isInside(cwd, limits.dangerFolders)))
    throw new Failure(
      'refused',
      `danger-full-access is not allowed in ${cwd}. To allow it, add the folder to delegate.danger_folders.`,
    );
  const protection = sandbox === 'workspace-write' && (await findProtection(cwd, limits));
  if (protection)
    throw new Failure(
      'refused',
      `workspace-write is not allowed in ${cwd}: ${protection}. Use the project folder, request read-only, or add the folder to delegate.write_folders.`,
    );
}

/** What a caller may set with `config_overrides`, besides harmless settings. */
export interface OverrideRights {
  /** Addresses and credentials of the model. */
  readonly addresses: boolean;
  /** Programs, trust and the sandbox itself. */
  readonly programs: boolean;
  /** Whether to drop an override with a warning instead of refusing the call. */
  readonly drop: boolean;
}

/** An override that names a program or widens the sandbox gives as much as a run without a sandbox, so it needs the same. */
export async function overrideRights(
  cwd: string,
  caller: Caller,
  { document, ceiling, dangerFolders }: PermissionLimits,
): Promise<OverrideRights> {
  // The document forwards every override of every caller, but not of those whose token limits the sandbox.
  const isFull =
    caller.ceiling === undefined &&
    ceiling === 'danger-full-access' &&
    (caller.sandbox ?? (document ? ceiling : undefined)) === 'danger-full-access';
  return {
    addresses: isFull,
    programs: isFull && (document || (await isInside(cwd, dangerFolders))),
    drop: document,
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

async function findProtection(
  cwd: string,
  { userHome, writeFolders }: PermissionLimits,
): Promise<string | undefined> {
  const [path, home] = await Promise.all([realpath(cwd), realpath(userHome)]);
  const reason = path === undefined ? undefined : protectionReason(path, home ?? userHome);
  return reason === undefined || (await isInside(cwd, writeFolders)) ? undefined : reason;
}

/**
 * True if the agent may ask to leave its sandbox. Nobody can allow more than the caller and the settings may grant, and only
 * the changes of writing runs are recorded.
 */
export function mayAsk(
  sandbox: Sandbox,
  caller: Pick<Caller, 'ceiling' | 'sandbox'>,
  { approvals, ceiling, userHome }: Pick<DelegateOptions, 'approvals' | 'ceiling' | 'userHome'>,
): boolean {
  if (approvals.mode === 'never' || sandbox !== 'workspace-write') return false;
  // An invalid rule must not be skipped.
  for (const rule of approvals.rules) parseRule(rule, userHome);
  const limits = [ceiling, caller.ceiling, caller.sandbox];
  return limits.every((limit) => limit === undefined || limit === 'danger-full-access');
}

/** System folders that are protected with everything below them. */
const protectedTrees = [
  '/bin',
  '/boot',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/proc',
  '/sbin',
  '/sys',
  '/usr',
  '/System',
  '/Library',
  '/private/etc',
];

/** Folders that are protected, but whose subfolders are not, because those may be projects. */
const protectedFolders = [
  '/Applications',
  '/Users',
  '/Volumes',
  '/dev',
  '/home',
  '/media',
  '/mnt',
  '/opt',
  '/private',
  '/private/var',
  '/root',
  '/run',
  '/srv',
  '/var',
  '/var/cache',
  '/var/lib',
  '/var/log',
  '/var/spool',
];

/** Why runs must not write to this real path; `undefined` for an ordinary folder. */
function protectionReason(path: string, userHome: string): string | undefined {
  if (path === userHome) return 'it is your home folder';
  if (/^([A-Z]:)?[\\/]$/i.test(path)) return 'it is the root of the file system';
  if (userHome !== '' && isInFolder(userHome, path)) return 'it contains your home folder';
  const isSystem =
    protectedFolders.includes(path) ||
    protectedTrees.some((folder) => isInFolder(path, folder)) ||
    /^[A-Z]:\\(Windows|Program Files[^\\]*|ProgramData)(\\|$)/i.test(path);
  return isSystem ? 'it is a system folder' : undefined;
}
