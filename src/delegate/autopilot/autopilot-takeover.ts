import { dirname } from 'node:path';
import { log } from '../../log.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { grantSandbox } from '../delegation/permissions.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { isAlive, type ProcessIdentity, runMarker } from '../process/process-table.ts';
import { loadRecord } from '../record/run-record.ts';
import { RunReleased } from '../run/run-tracker.ts';
import { loadAutopilot } from './autopilot-record.ts';
import { type RecoveryOptions, recoverAutopilot, withTakeoverLock } from './autopilot-recovery.ts';
import { resumeAutopilot } from './autopilot-run.ts';
import { type AutopilotState, loadResumableState, saveState } from './autopilot-state.ts';

/**
 * Resumes an autopilot whose server has died, or finishes it if it cannot be resumed. Only a server that keeps running may
 * resume it (`mayResume`). Returns true if the autopilot is finished.
 */
export async function takeOverAutopilot(
  delegation: Delegation,
  directory: RunDirectory,
  mayResume: boolean,
): Promise<boolean> {
  const state = (await isCancelled(delegation, directory))
    ? undefined
    : await loadResumableState(directory.path);
  if (state !== undefined && !(mayResume && (await isPermitted(delegation, directory, state)))) return false;
  let isFinished = false;
  await withTakeoverLock(directory, async () => {
    const request = await readJson(directory.file('request.json'));
    const server = request?.['server'] as ProcessIdentity | undefined;
    if (server !== undefined && (await isAlive(server))) return;
    const queue = await delegation.supervisor.queue;
    isFinished = state === undefined;
    if (state === undefined) return recoverAutopilot(directory, recoveryOptions(delegation), queue);
    if (delegation.isDraining) return;
    await directory.writeJson('request.json', { ...request, server: queue.self });
    delegation.track(resume(delegation, directory, state));
  });
  return isFinished;
}

/** True if cancellation was requested, or if a job was cancelled before its server died. */
async function isCancelled({ supervisor }: Delegation, { path, id }: RunDirectory): Promise<boolean> {
  if ((await supervisor.queue).cancellationReason(path) !== undefined) return true;
  const jobs = (await loadAutopilot(path, id))?.jobs ?? [];
  const states = jobs.map(async ({ status, run_dir, run_id }) =>
    status === 'running' ? (await loadRecord(run_dir, run_id))?.status : status,
  );
  return (await Promise.all(states)).includes('cancelled');
}

/** True if this server would grant the jobs their sandboxes if a caller asked for them. */
async function isPermitted(
  { options, isDraining }: Delegation,
  { path, id }: RunDirectory,
  { request: { cwd } }: AutopilotState,
): Promise<boolean> {
  if (isDraining || options.env[runMarker] !== undefined) return false;
  const jobs = (await loadAutopilot(path, id))?.plan.jobs ?? [];
  const granted = jobs.map(({ sandbox }) =>
    grantSandbox(sandbox, cwd, { threads: [], workspaces: [] }, options).then(
      (result) => result.sandbox === sandbox,
      () => false,
    ),
  );
  return !(await Promise.all(granted)).includes(false);
}

async function resume(delegation: Delegation, directory: RunDirectory, state: AutopilotState): Promise<void> {
  log('info', `resuming autopilot ${directory.id} of a stopped server`);
  try {
    await resumeAutopilot(delegation, directory, state);
  } catch (error) {
    // Restore the old state: a server that stops normally does not count as a crash.
    if (error instanceof RunReleased) return saveState(directory, state);
    log('error', `autopilot ${directory.id} could not be resumed`, error);
    await recoverAutopilot(directory, recoveryOptions(delegation), await delegation.supervisor.queue);
  }
}

function recoveryOptions({ options: { env, queueFile }, redact }: Delegation): RecoveryOptions {
  return { env, stateDir: dirname(queueFile), redact };
}
