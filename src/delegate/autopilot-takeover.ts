import { log } from '../log.ts';
import { flyOn } from './autopilot-flight.ts';
import { inCharge, salvageAutopilot } from './autopilot-salvage.ts';
import type { Delegation } from './delegation.ts';
import { type FlightPlan, findPlan, keepPlan } from './flight-plan.ts';
import { readJson } from './json-file.ts';
import { isAlive, type ProcessIdentity } from './process-table.ts';
import type { RunDirectory } from './run-directory.ts';
import { LetGo } from './supervisor.ts';

/**
 * Looks after an autopilot whose server has died: goes on with it, or brings it to its end where that cannot be, or not any
 * more. One that is not here to stay leaves the former to others. False where it is still under way.
 */
export async function takeOverAutopilot(
  delegation: Delegation,
  directory: RunDirectory,
  isToStay: boolean,
): Promise<boolean> {
  const plan = await findPlan(directory.path);
  if (plan !== undefined && (!isToStay || delegation.isResting)) return false;
  let isOver = false;
  await inCharge(directory, async () => {
    const request = await readJson(directory.file('request.json'));
    const server = request?.['server'] as ProcessIdentity | undefined;
    if (server !== undefined && (await isAlive(server))) return;
    isOver = plan === undefined;
    if (plan === undefined) return salvageAutopilot(directory, delegation.options.env);
    const { self } = await delegation.supervisor.ledger;
    await directory.writeJson('request.json', { ...request, server: self });
    delegation.keep(goOn(delegation, directory, plan));
  });
  return isOver;
}

async function goOn(delegation: Delegation, directory: RunDirectory, plan: FlightPlan): Promise<void> {
  log('info', `going on with the autopilot ${directory.id} of a server that has ended`);
  try {
    await flyOn(delegation, directory, plan);
  } catch (error) {
    // Who only lets go has done no harm, and does not count.
    if (error instanceof LetGo) return keepPlan(directory, plan);
    log('error', `the autopilot ${directory.id} cannot be gone on with`, error);
    await salvageAutopilot(directory, delegation.options.env);
  }
}
