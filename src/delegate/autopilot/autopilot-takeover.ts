import { log } from '../../log.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { grantSandbox } from '../delegation/permissions.ts';
import { readJson } from '../files/json-file.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { isAlive, type ProcessIdentity, runMarker } from '../process/process-table.ts';
import { loadRecord } from '../record/run-record.ts';
import { RunReleased } from '../run/run-tracker.ts';
import { resumeAutopilot } from './autopilot-run.ts';
import { loadAutopilot } from './autopilot-record.ts';
import { recoverAutopilot, withTakeoverLock } from './autopilot-recovery.ts';
import { type AutopilotState, loadResumableState, saveState } from './autopilot-state.ts';

/**
 * Looks after an autopilot whose server has died: goes on with it, or brings it to its end where that cannot be, or not any
 * more. One that is not here to stay leaves the former to others. False where it is still under way.
 */
export async function takeOverAutopilot(
  delegation: Delegation,
  directory: RunDirectory,
  isToStay: boolean,
): Promise<boolean> {
  const plan = (await isCancelled(delegation, directory)) ? undefined : await loadResumableState(directory.path);
  if (plan !== undefined && !(isToStay && (await mayGoOn(delegation, directory, plan)))) return false;
  let isOver = false;
  await withTakeoverLock(directory, async () => {
    const request = await readJson(directory.file('request.json'));
    const server = request?.['server'] as ProcessIdentity | undefined;
    if (server !== undefined && (await isAlive(server))) return;
    const queue = await delegation.supervisor.queue;
    isOver = plan === undefined;
    if (plan === undefined) return recoverAutopilot(directory, delegation.options, queue);
    if (delegation.isDraining) return;
    await directory.writeJson('request.json', { ...request, server: queue.self });
    delegation.track(goOn(delegation, directory, plan));
  });
  return isOver;
}

/** Whoever cancelled it did not live to see its end, perhaps; the wish was written down, or a job has met it already. */
async function isCancelled({ supervisor }: Delegation, { path, id }: RunDirectory): Promise<boolean> {
  if ((await supervisor.queue).cancellationReason(path) !== undefined) return true;
  const jobs = (await loadAutopilot(path, id))?.jobs ?? [];
  const states = jobs.map(async ({ status, run_dir, run_id }) =>
    status === 'running' ? (await loadRecord(run_dir, run_id))?.status : status,
  );
  return (await Promise.all(states)).includes('cancelled');
}

/** No server starts what it would refuse a caller. */
async function mayGoOn(
  { options, isDraining }: Delegation,
  { path, id }: RunDirectory,
  { flight: { cwd } }: AutopilotState,
): Promise<boolean> {
  if (isDraining || options.env[runMarker] !== undefined) return false;
  const jobs = (await loadAutopilot(path, id))?.plan.jobs ?? [];
  const granted = jobs.map(({ sandbox }) =>
    grantSandbox(sandbox, cwd, { threads: [], workspaces: [] }, options).then(
      (grant) => grant.sandbox === sandbox,
      () => false,
    ),
  );
  return !(await Promise.all(granted)).includes(false);
}

async function goOn(delegation: Delegation, directory: RunDirectory, plan: AutopilotState): Promise<void> {
  log('info', `going on with the autopilot ${directory.id} of a server that has ended`);
  try {
    await resumeAutopilot(delegation, directory, plan);
  } catch (error) {
    // Who only lets go has done no harm, and does not count.
    if (error instanceof RunReleased) return saveState(directory, plan);
    log('error', `the autopilot ${directory.id} cannot be gone on with`, error);
    await recoverAutopilot(directory, delegation.options, await delegation.supervisor.queue);
  }
}
