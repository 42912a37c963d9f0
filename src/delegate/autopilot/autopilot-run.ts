import { resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import type { Agents } from '../agents/agents.ts';
import { expandTexts, type Texts } from '../delegation/assignment.ts';
import type { Delegation, StartedRun } from '../delegation/delegation.ts';
import { type Caller, grantSandbox, mayAsk } from '../delegation/permissions.ts';
import type { AutopilotRequest } from './autopilot.ts';
import { failAutopilot } from './autopilot-host.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot } from './autopilot-record.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { saveState } from './autopilot-state.ts';
import type { Candidate, ComparisonRequest } from './comparison.ts';

/** Starts an autopilot, or a comparison of candidates, in a run host. A refused call becomes a failed result. */
export async function startAutopilot(
  delegation: Delegation,
  input: AutopilotInput & Partial<ComparisonRequest>,
  context: Context,
): Promise<StartedRun<AutopilotOutput>> {
  const tool = input.candidates === undefined ? 'delegate_autopilot' : 'delegate_compare';
  const row = { tool, state: 'autopilot' } as const;
  const texts = await expandTexts(input, delegation.options, context);
  return delegation.start(row, input, context, failedAutopilot, async (run) => {
    const { directory, caller } = run;
    try {
      const output = await delegation.hosts.carry(run, 'autopilot', run.host, async () => {
        const request = await createRequest(delegation, input, caller, texts);
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
  input: AutopilotInput & Partial<ComparisonRequest>,
  caller: Caller,
  texts: Texts,
): Promise<AutopilotRequest> {
  const { options } = delegation;
  await delegation.refuseSubagents(caller);
  const { candidates, checks = [], deliver = 'none', judge } = input;
  const comparison = candidates && { candidates, checks, deliver, ...(judge && { judge }) };
  if (comparison !== undefined) await demandAgents(delegation.runner.agents, [...candidates!, judge ?? {}]);
  const cwd = resolve(input.cwd ?? process.cwd());
  const { sandbox, warning } = await grantSandbox(input.sandbox, cwd, caller, options);
  const warnings = warning === undefined ? [] : [warning];
  return {
    input,
    cwd,
    sandbox,
    ...texts,
    warnings,
    mayAsk: mayAsk('workspace-write', caller, options),
    ...(comparison && { comparison }),
  };
}

/** Refuses agents that are unknown or not installed, before any of the others starts to work. */
async function demandAgents(agents: Agents, candidates: readonly Candidate[]): Promise<void> {
  for (const { agent } of candidates)
    await agents
      .get(agent)
      .locate()
      .catch((error: unknown) => {
        throw new Failure('refused', messageOf(error));
      });
}
