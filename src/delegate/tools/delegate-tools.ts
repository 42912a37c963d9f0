import type { Context } from '../../context.ts';
import { defineTool } from '../../tool.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import {
  type AutopilotInput,
  autopilotInput,
  autopilotSchema,
  finishedAutopilotSchema,
} from '../autopilot/autopilot-schema.ts';
import {
  finishedRunSchema,
  type ResumeInput,
  type RunInput,
  resumeInput,
  runInput,
  runSchema,
} from '../delegation/run-schema.ts';
import { runReport } from '../record/run-report.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import type { DelegationRuntime } from './delegation-runtime.ts';
import { supportsTasks, toTask } from './tasks.ts';

/** The tools that start sub-agents. */
export function delegateTools(options: DelegateOptions, runtime: () => Promise<DelegationRuntime>) {
  const start = async (
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    context: Context,
  ) => {
    const { delegation, runs } = await runtime();
    const run = await delegation.startRun(tool, input, context);
    const { directory } = run;
    if (directory !== undefined && !options.document && supportsTasks(context)) {
      run.detach();
      return { task: toTask(await runs.show(directory.id)) };
    }
    const record = (await delegation.waitForOutcome(run)) ?? (await runs.show(directory!.id));
    return { structured: record, content: [{ type: 'text' as const, text: runReport(tool, record) }] };
  };

  const callAutopilot = async (input: AutopilotInput, context: Context) => {
    const { delegation, runs } = await runtime();
    const { startAutopilot } = await import('../autopilot/autopilot-run.ts');
    const run = await startAutopilot(delegation, input, context);
    const { directory } = run;
    const { loadAutopilot } = await import('../autopilot/autopilot-record.ts');
    if (directory !== undefined && !options.document && supportsTasks(context)) {
      run.detach();
      return { task: toTask(await runs.show(directory.id)) };
    }
    const output =
      (await delegation.waitForOutcome(run)) ?? (await loadAutopilot(directory!.path, directory!.id))!;
    return { structured: output, content: [{ type: 'text' as const, text: autopilotReport(output) }] };
  };

  // A call that answers before its run has finished reports the status `running`.
  const mayStillRun = options.answerWithinMs > 0;
  const outputSchema = mayStillRun ? runSchema : (finishedRunSchema as unknown as typeof runSchema);
  // Sub-agents can overwrite files and send data to a remote model.
  const annotations = { readOnlyHint: false, destructiveHint: true, openWorldHint: true };
  return [
    defineTool({
      name: 'delegate_run',
      title: 'Delegate Run',
      description:
        'Give a task to a specialist sub-agent with a fresh context and get back its structured result. The run leaves its files in a directory of its own.',
      inputSchema: runInput,
      outputSchema,
      annotations,
      call: (input, context) => start('delegate_run', input, context),
    }),
    defineTool({
      name: 'delegate_resume',
      title: 'Delegate Resume',
      description:
        'Go on with the thread of an earlier sub-agent, with a follow-up task or without one, and get back its structured result.',
      inputSchema: resumeInput,
      outputSchema,
      annotations,
      call: (input, context) => start('delegate_resume', input, context),
    }),
    defineTool({
      name: 'delegate_autopilot',
      title: 'Delegate Autopilot',
      description:
        'Decide whether a task is worth splitting up, and if so plan it, run the jobs with several sub-agents and gather what they came to. A plain question or a small edit is not delegated.',
      inputSchema: autopilotInput,
      outputSchema: mayStillRun
        ? autopilotSchema
        : (finishedAutopilotSchema as unknown as typeof autopilotSchema),
      annotations,
      call: (input, context) => callAutopilot(input, context),
    }),
  ];
}
