import type { Context } from '../../context.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import { runReport } from '../run/run-report.ts';
import type { ForkInput, ResumeInput, RunInput, StartingTool } from '../run/run-schema.ts';
import { answeredRun, asksByResult, collectOrAsk } from './approval-rounds.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { asDocumentedRun } from './documented-status.ts';
import { runResult } from './run-result.ts';
import { supportsTasks, toTask } from './tasks.ts';

/** Returns the function that starts a run and waits for its result, as long as a call may take. */
export function runStarter(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  return async (tool: StartingTool, input: RunInput | ResumeInput | ForkInput, context: Context) => {
    const { delegation, runs } = await runtime();
    const own = runs.visibleTo(context.actor);
    const isTask = !options.document && supportsTasks(context);
    const asks = options.approvals.mode === 'ask' && !isTask && asksByResult(context);
    const waitMs = options.answerWithinMs || Number.POSITIVE_INFINITY;
    // The client repeats the call with its answers to what the agent has asked.
    const answered = asks ? await answeredRun(own, context) : undefined;
    if (answered !== undefined) {
      const record = await collectOrAsk(own, answered, waitMs, context);
      return { ...runResult(tool, record), failed: record.status === 'failed' };
    }
    if ('thread_id' in input) await own.demandThread(input.thread_id);
    const run = await delegation.startRun(tool, input, context);
    const { directory } = run;
    if (directory !== undefined && isTask) {
      run.detach();
      return { task: await toTask(runs, directory.id, context) };
    }
    if (directory !== undefined && asks) {
      const ended = await Promise.race([run.done, collectOrAsk(own, directory.id, waitMs, context, run)]);
      return { ...runResult(tool, ended), failed: ended.status === 'failed' };
    }
    const record = (await delegation.waitForOutcome(run)) ?? (await runs.show(directory!.id));
    // The document never marks a result as an error.
    if (!options.document) return { ...runResult(tool, record), failed: record.status === 'failed' };
    const documented = asDocumentedRun(record);
    return {
      structured: documented,
      content: [{ type: 'text' as const, text: runReport(tool, documented) }],
    };
  };
}
