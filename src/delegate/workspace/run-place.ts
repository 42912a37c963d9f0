import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Environment } from '../launch/environment.ts';
import type { Containment, Overlay } from '../process/containment.ts';
import { FolderClaims } from './folder-claims.ts';
import { Workspace, type WorkspaceKind } from './workspace.ts';

/** The hidden folder in a run directory that holds the isolated view of a run and the journal of its delivery. */
export const workspaceFolder = '.workspace';

export interface PlaceOptions {
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  readonly env: Environment;
  /** Folders that do not belong to the user's files, such as the one with the run files. */
  readonly ignored: readonly string[];
  readonly containment?: Containment | 'auto';
  readonly workspaceKinds?: readonly WorkspaceKind[];
  readonly copyLimitBytes: number;
}

/** Where a run works. */
export interface Place {
  readonly cwd: string;
  readonly overlay?: Overlay;
  readonly isIsolated: boolean;
  readonly warning?: string;
  /** Ends the claim on the folder, unless the changes are still to be delivered. */
  release(keepsClaim?: boolean): void;
}

/** Ends the claim of an isolated run whose changes are delivered, or will not be. */
export async function releasePlace(stateDir: string, run: string): Promise<void> {
  const claims = await FolderClaims.open(stateDir);
  claims.release(run, 'isolated');
  claims.close();
}

/**
 * Finds a place for a run that writes: the folder itself, or an isolated view of it if `isolate` is set or another run uses
 * the folder. A folder that cannot be isolated is used by one run at a time.
 */
export async function findPlace(
  run: { readonly id: string; readonly path: string },
  cwd: string,
  isolate: boolean,
  options: PlaceOptions,
  signal: AbortSignal,
): Promise<Place> {
  const storage = `${run.path}/${workspaceFolder}`;
  const claims = await FolderClaims.open(options.stateDir);
  const claim = (kind: 'in-place' | 'isolated') => ({ folder: cwd, run: run.id, kind, storage });
  const releaseOf =
    (kind: 'in-place' | 'isolated') =>
    (keepsClaim = false) => {
      if (!keepsClaim) claims.release(run.id, kind);
      claims.close();
    };
  try {
    if (!isolate && (await claims.tryClaim(claim('in-place'), ['in-place', 'isolated'])))
      return { cwd, isIsolated: false, release: releaseOf('in-place') };
    // No delivery may change the folder while its state is recorded. Every later one keeps what it replaces.
    const lock = { ...claim('isolated'), kind: 'delivery' } as const;
    const record = async () => {
      await claims.tryClaim(claim('isolated'), []);
      return createWorkspace(cwd, storage, options);
    };
    const workspace = await claims.hold(lock, ['delivery'], record, signal);
    if (workspace !== undefined) {
      const { folder, overlay } = workspace;
      return {
        cwd: overlay === undefined ? folder : cwd,
        ...(overlay && { overlay }),
        isIsolated: true,
        release: releaseOf('isolated'),
      };
    }
    claims.release(run.id, 'isolated');
    await claims.waitFor(claim('in-place'), ['in-place', 'isolated'], signal);
    const warning = `${cwd} cannot be isolated or is larger than delegate.copy_limit_mb, so the run worked in the folder itself, after the runs before it.`;
    return { cwd, isIsolated: false, warning, release: releaseOf('in-place') };
  } catch (error) {
    claims.release(run.id, 'isolated');
    claims.close();
    throw error;
  }
}

async function createWorkspace(
  cwd: string,
  storage: string,
  { workspaceKinds, ...options }: PlaceOptions,
): Promise<Workspace | undefined> {
  try {
    return await Workspace.create(cwd, storage, {
      ...options,
      ...(workspaceKinds && { kinds: workspaceKinds }),
    });
  } catch (error) {
    log('warning', `${cwd} could not be isolated: ${messageOf(error)}`);
    return undefined;
  }
}
