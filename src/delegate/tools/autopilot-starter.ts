import type { Context } from '../../context.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { ComparisonRequest } from '../autopilot/autopilot-request.ts';
import type { AutopilotInput } from '../autopilot/autopilot-schema.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { answeredRun, asksByResult, collectOrAsk } from './approval-rounds.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { asDocumentedAutopilot } from './documented-status.ts';
import { autopilotResult } from './run-result.ts';
import { supportsTasks, toTask } from './tasks.ts';

/** Returns the function that starts an autopilot or a comparison and waits for its result, as long as a call may take. */
export function autopilotStarter(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  return async (input: AutopilotInput & Partial<ComparisonRequest>, context: Context) => {
    const { delegation, runs } = await runtime();
    const own = runs.visibleTo(context.actor);
    const isTask = !options.document && supportsTasks(context);
    const asks = options.approvals.mode === 'ask' && !isTask && asksByResult(context);
    const waitMs = options.answerWithinMs || Number.POSITIVE_INFINITY;
    const load = async (id: string) => (await own.account(id)).autopilot!;
    // The client repeats the call with its answers to what a job has asked.
    const answered = asks ? await answeredRun(own, context) : undefined;
    if (answered !== undefined) {
      await collectOrAsk(own, answered, waitMs, context);
      const output = await load(answered);
      return { ...autopilotResult(output), failed: output.status === 'failed' };
    }
    const { startAutopilot } = await import('../autopilot/autopilot-host.ts');
    const run = await startAutopilot(delegation, input, context);
    const { directory } = run;
    if (directory !== undefined && isTask) {
      run.detach();
      return { task: await toTask(runs, directory.id, context) };
    }
    const asked =
      directory !== undefined && asks
        ? collectOrAsk(own, directory.id, waitMs, context, run).then(() => load(directory.id))
        : delegation.waitForOutcome(run);
    const found = (await Promise.race([run.done, asked])) ?? (await load(directory!.id));
    if (!options.document) return { ...autopilotResult(found), failed: found.status === 'failed' };
    const output = asDocumentedAutopilot(found);
    return { structured: output, content: [{ type: 'text' as const, text: autopilotReport(output) }] };
  };
}
