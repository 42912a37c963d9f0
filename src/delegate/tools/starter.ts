import type { Context } from '../../context.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { ComparisonRequest } from '../autopilot/autopilot-request.ts';
import type { AutopilotInput } from '../autopilot/autopilot-schema.ts';
import type { DelegateOptions } from '../run/delegate-options.ts';
import type { Delegation, StartedRun } from '../run/delegation.ts';
import { runReport } from '../run/run-report.ts';
import type { ForkInput, ResumeInput, RunInput, StartingTool } from '../run/run-schema.ts';
import { answeredRun, asksByResult, collectOrAsk } from './approval-rounds.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { asDocumentedAutopilot, asDocumentedRun, autopilotResult, runResult } from './run-result.ts';
import type { Runs } from './runs.ts';
import { supportsTasks, toTask } from './tasks.ts';

interface Kind<Input, Output, Result> {
  start(input: Input, delegation: Delegation, own: Runs, context: Context): Promise<StartedRun<Output>>;
  load(id: string, own: Runs): Promise<Output>;
  toResult(output: Output): Result;
  /** The result in the drop-in contract, which never marks a result as an error. */
  toDocumented(output: Output): { readonly structured: Output; readonly text: string };
}

/** Returns a function that starts something and waits for its result, as long as a call may take. */
function starterOf<Input, Output extends { readonly status: string }, Result>(
  options: DelegateOptions,
  runtime: () => Promise<DelegationRuntime>,
  { start, load, toResult, toDocumented }: Kind<Input, Output, Result>,
) {
  const report = (output: Output) => ({ ...toResult(output), failed: output.status === 'failed' });
  return async (input: Input, context: Context) => {
    const { delegation, runs } = await runtime();
    const own = runs.visibleTo(context.actor);
    const isTask = !options.document && supportsTasks(context);
    const asks = options.approvals.mode === 'ask' && !isTask && asksByResult(context);
    const waitMs = options.answerWithinMs || Number.POSITIVE_INFINITY;
    // The client repeats the call with its answers to what an agent has asked.
    const answered = asks ? await answeredRun(own, context) : undefined;
    if (answered !== undefined) {
      await collectOrAsk(own, answered, waitMs, context);
      return report(await load(answered, own));
    }
    const run = await start(input, delegation, own, context);
    const { directory } = run;
    if (directory !== undefined && isTask) {
      run.detach();
      return { task: await toTask(runs, directory.id, context) };
    }
    const asked =
      directory !== undefined && asks
        ? collectOrAsk(own, directory.id, waitMs, context, run).then(() => load(directory.id, own))
        : delegation.waitForOutcome(run);
    const output = (await Promise.race([run.done, asked])) ?? (await load(directory!.id, own));
    if (!options.document) return report(output);
    const { structured, text } = toDocumented(output);
    return { structured, content: [{ type: 'text' as const, text }] };
  };
}

/** Returns the function that starts a run for one of these tools. */
export function runStarter(
  tool: StartingTool,
  options: DelegateOptions,
  runtime: () => Promise<DelegationRuntime>,
) {
  return starterOf(options, runtime, {
    async start(input: RunInput | ResumeInput | ForkInput, delegation, own, context) {
      if ('thread_id' in input) await own.demandThread(input.thread_id);
      return delegation.startRun(tool, input, context);
    },
    load: (id, own) => own.show(id),
    toResult: (record) => runResult(tool, record),
    toDocumented(record) {
      const structured = asDocumentedRun(record);
      return { structured, text: runReport(tool, structured) };
    },
  });
}

/** Returns the function that starts an autopilot or a comparison. */
export function autopilotStarter(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  return starterOf(options, runtime, {
    async start(input: AutopilotInput & Partial<ComparisonRequest>, delegation, _, context) {
      const { startAutopilot } = await import('../autopilot/autopilot-host.ts');
      return startAutopilot(delegation, input, context);
    },
    load: async (id, own) => (await own.account(id)).autopilot!,
    toResult: autopilotResult,
    toDocumented(output) {
      const structured = asDocumentedAutopilot(output);
      return { structured, text: autopilotReport(structured) };
    },
  });
}
