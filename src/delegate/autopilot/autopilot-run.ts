import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { expandFromLibrary } from '../delegation/assignment.ts';
import type { Delegation, StartedRun } from '../delegation/delegation.ts';
import { type Caller, grantSandbox, mayAsk } from '../delegation/permissions.ts';
import type { AutopilotRequest } from './autopilot.ts';
import { failAutopilot } from './autopilot-host.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot } from './autopilot-record.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { saveState } from './autopilot-state.ts';

/** Starts an autopilot in a run host. A refused call becomes a failed result. */
export function startAutopilot(
  delegation: Delegation,
  input: AutopilotInput,
  context: Context,
): Promise<StartedRun<AutopilotOutput>> {
  const row = { tool: 'delegate_autopilot', state: 'autopilot' } as const;
  return delegation.start(row, input, context, failedAutopilot, async (run) => {
    const { directory, caller } = run;
    try {
      const output = await delegation.hosts.carry(run, 'autopilot', run.host, async () => {
        const request = await createRequest(delegation, input, caller);
        // Saved before the host starts, so that the autopilot continues whenever the host is killed.
        await saveState(directory, { request, plannerUsage: [], hosts: 1 });
        return request;
      });
      return (output as AutopilotOutput) ?? (await loadAutopilot(directory.path, directory.id))!;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
      return failAutopilot(directory, delegation.runner, error.message);
    }
  });
}

async function createRequest(
  delegation: Delegation,
  input: AutopilotInput,
  caller: Caller,
): Promise<AutopilotRequest> {
  const { options } = delegation;
  await delegation.refuseSubagents(caller);
  const cwd = resolve(input.cwd ?? process.cwd());
  const { sandbox, warning } = await grantSandbox(input.sandbox, cwd, caller, options);
  const warnings = warning === undefined ? [] : [warning];
  return {
    input,
    cwd,
    sandbox,
    ...(await expandFromLibrary(input, options, warnings)),
    warnings,
    mayAsk: mayAsk('workspace-write', caller, options),
  };
}
