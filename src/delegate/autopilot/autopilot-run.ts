import { dirname, resolve } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { expandFromLibrary } from '../delegation/assignment.ts';
import type { Delegation, RunContext, StartedRun } from '../delegation/delegation.ts';
import { type Caller, grantSandbox } from '../delegation/permissions.ts';
import type { ProgressReporter } from '../delegation/progress-reporter.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { isSystemError } from '../run/supervisor.ts';
import { Autopilot, type AutopilotPorts, type AutopilotRequest } from './autopilot.ts';
import { resultFile } from './autopilot-log.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot } from './autopilot-record.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import type { AutopilotState } from './autopilot-state.ts';
import type { JobSpec } from './job-spec.ts';

export function startAutopilot(
  delegation: Delegation,
  input: AutopilotInput,
  context: Context,
): Promise<StartedRun<AutopilotOutput>> {
  return delegation.start('delegate_autopilot', input, context, failedAutopilot, (run) =>
    runAutopilot(delegation, input, run),
  );
}

/** Runs an autopilot to its result. Refusals and system errors become a failed result. */
async function runAutopilot(
  delegation: Delegation,
  input: AutopilotInput,
  { directory, caller, signal, reporter }: RunContext,
): Promise<AutopilotOutput> {
  const queue = await delegation.supervisor.queue;
  // Persisted, so that no other server resumes the autopilot if this one dies while cancelling it.
  const recordCancellation = () => {
    try {
      queue.requestCancellation(directory.path, messageOf(signal.reason));
    } catch (error) {
      log('warning', `the cancellation of autopilot ${directory.id} could not be recorded`, error);
    }
  };
  if (signal.aborted) recordCancellation();
  signal.addEventListener('abort', recordCancellation, { once: true });
  try {
    const request = await createRequest(delegation, input, caller);
    const ports = createPorts(delegation, signal, (job) => reportJob(job, reporter));
    const output = await new Autopilot(directory, request, ports).run();
    queue.finish(directory.path);
    return output;
  } catch (error) {
    const isExpected = error instanceof Failure ? error.kind === 'refused' : isSystemError(error);
    if (!isExpected) throw error;
    const output = { ...failedAutopilot(messageOf(error)), run_id: directory.id, run_dir: directory.path };
    await directory.writeJson('result.json', resultFile(output)).catch(() => {});
    queue.finish(directory.path);
    return { ...output, artifacts: await directory.artifacts().catch(() => []) };
  } finally {
    signal.removeEventListener('abort', recordCancellation);
  }
}

/** Runs the remaining jobs of an autopilot whose server has died. Its client is gone, so no progress is reported. */
export async function resumeAutopilot(
  delegation: Delegation,
  directory: RunDirectory,
  state: AutopilotState,
): Promise<void> {
  const loaded = await loadAutopilot(directory.path, directory.id);
  if (loaded?.status !== 'running') return;
  const ports = createPorts(delegation, new AbortController().signal, () => ({ finished: () => {} }));
  await new Autopilot(directory, state.request, ports).resume(loaded, state);
  (await delegation.supervisor.queue).finish(directory.path);
}

function createPorts(
  { options, supervisor, agent }: Delegation,
  signal: AbortSignal,
  listen: AutopilotPorts['listen'],
): AutopilotPorts {
  return {
    settings: options.autopilot,
    codexHome: options.codexHome,
    userHome: options.userHome,
    env: options.env,
    stateDir: dirname(options.queueFile),
    run: (...args) => supervisor.run(...args),
    confine: async (sandbox) => agent.confine?.(sandbox),
    listen,
    signal,
  };
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
  return { input, cwd, sandbox, ...(await expandFromLibrary(input, options, warnings)), warnings };
}

function reportJob(job: JobSpec, reporter: ProgressReporter) {
  const jobReporter = reporter.forJob(job.id, job.title);
  return {
    onEvent: jobReporter.event.bind(jobReporter),
    onState: jobReporter.state.bind(jobReporter),
    finished: jobReporter.finished.bind(jobReporter),
  };
}
