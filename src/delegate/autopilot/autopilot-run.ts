import { resolve } from 'node:path';
import { Failure } from '../../failure.ts';
import type { Context } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { expandFromLibrary } from '../delegation/assignment.ts';
import type { StartedRun, Delegation, RunContext } from '../delegation/delegation.ts';
import { type Caller, grantSandbox } from '../delegation/permissions.ts';
import type { ProgressReporter } from '../delegation/progress-reporter.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import { isSystemError } from '../run/supervisor.ts';
import { Autopilot, type AutopilotPorts, type AutopilotRequest } from './autopilot.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot } from './autopilot-record.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { resultFile } from './autopilot-log.ts';
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

/** An autopilot from the call to its result, within what its caller may have. */
async function runAutopilot(
  delegation: Delegation,
  input: AutopilotInput,
  { directory, caller, signal, reporter }: RunContext,
): Promise<AutopilotOutput> {
  const queue = await delegation.supervisor.queue;
  // Written down, so that nobody goes on with it should this process die over ending it.
  const leaveWord = () => {
    try {
      queue.requestCancellation(directory.path, messageOf(signal.reason));
    } catch (error) {
      log('warning', `nobody else is told that ${directory.id} is cancelled`, error);
    }
  };
  if (signal.aborted) leaveWord();
  signal.addEventListener('abort', leaveWord, { once: true });
  try {
    const flight = await prepareFlight(delegation, input, caller);
    const ports = portsOf(delegation, signal, (job) => listener(job, reporter));
    const output = await new Autopilot(directory, flight, ports).fly();
    queue.finish(directory.path);
    return output;
  } catch (error) {
    // What the caller or the machine cannot do is a result, too: more than is granted, no room on the disk.
    const isTold = error instanceof Failure ? error.kind === 'refused' : isSystemError(error);
    if (!isTold) throw error;
    const output = { ...failedAutopilot(messageOf(error)), run_id: directory.id, run_dir: directory.path };
    await directory.writeJson('result.json', resultFile(output)).catch(() => {});
    queue.finish(directory.path);
    return { ...output, artifacts: await directory.artifacts().catch(() => []) };
  } finally {
    signal.removeEventListener('abort', leaveWord);
  }
}

/** The rest of an autopilot whose server has died. Nobody listens; whoever wants to know asks for the run. */
export async function resumeAutopilot(
  delegation: Delegation,
  directory: RunDirectory,
  plan: AutopilotState,
): Promise<void> {
  const left = await loadAutopilot(directory.path, directory.id);
  if (left?.status !== 'running') return;
  const ports = portsOf(delegation, new AbortController().signal, () => ({ finished: () => {} }));
  await new Autopilot(directory, plan.flight, ports).resumeAutopilot(left, plan);
  (await delegation.supervisor.queue).finish(directory.path);
}

function portsOf(
  { options, supervisor, agent }: Delegation,
  signal: AbortSignal,
  listen: AutopilotPorts['listen'],
): AutopilotPorts {
  return {
    settings: options.autopilot,
    codexHome: options.codexHome,
    userHome: options.userHome,
    env: options.env,
    locksDir: options.locksDir,
    run: (...given) => supervisor.run(...given),
    confine: async (sandbox) => agent.confine?.(sandbox),
    listen,
    signal,
  };
}

async function prepareFlight(delegation: Delegation, input: AutopilotInput, caller: Caller): Promise<AutopilotRequest> {
  const { options } = delegation;
  await delegation.refuseSubagents(caller);
  const cwd = resolve(input.cwd ?? process.cwd());
  const { sandbox, warning } = await grantSandbox(input.sandbox, cwd, caller, options);
  const warnings = warning === undefined ? [] : [warning];
  return { input, cwd, sandbox, ...(await expandFromLibrary(input, options, warnings)), warnings };
}

function listener(job: JobSpec, reporter: ProgressReporter) {
  const own = reporter.forJob(job.id, job.title);
  return {
    onEvent: own.event.bind(own),
    onState: own.state.bind(own),
    finished: own.finished.bind(own),
  };
}
