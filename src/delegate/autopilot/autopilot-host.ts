import { dirname, sep } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Confinement, Workspaces } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import { grantSandbox, mayAsk } from '../delegation/permissions.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { HostOptions } from '../host/host-message.ts';
import { type AgentRunner, isSystemError } from '../run/agent-runner.ts';
import { recoverRun } from '../run/run-recovery.ts';
import { Autopilot, type AutopilotPorts, type AutopilotRequest } from './autopilot.ts';
import { resultFile } from './autopilot-log.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot } from './autopilot-record.ts';
import { recoverAutopilot } from './autopilot-recovery.ts';
import { loadResumableState } from './autopilot-state.ts';

/** An autopilot in its run host. */
export interface HostedAutopilot {
  readonly directory: RunDirectory;
  readonly runner: AgentRunner;
  readonly options: HostOptions;
  /** Absent to continue an autopilot whose host was killed. */
  readonly request: AutopilotRequest | undefined;
  readonly signal: AbortSignal;
  readonly listen: AutopilotPorts['listen'];
}

/** Runs an autopilot to its result, or continues it after its last recorded step. */
export async function carryAutopilot(hosted: HostedAutopilot): Promise<AutopilotOutput> {
  const { directory, runner, request } = hosted;
  const output = await (request === undefined
    ? resume(hosted)
    : new Autopilot(directory, request, await createPorts(hosted)).run()
  ).catch((error: unknown) => {
    const isExpected =
      error instanceof Failure ? ['refused', 'unavailable'].includes(error.kind) : isSystemError(error);
    if (!isExpected) throw error;
    return failAutopilot(directory, runner, messageOf(error));
  });
  (await runner.queue).finish(directory.path);
  return output;
}

/** Writes a failed result. */
export async function failAutopilot(
  directory: RunDirectory,
  runner: AgentRunner,
  error: string,
): Promise<AutopilotOutput> {
  const output = { ...failedAutopilot(error), run_id: directory.id, run_dir: directory.path };
  try {
    await directory.writeJson('result.json', resultFile(output));
    (await runner.queue).finish(directory.path);
  } catch (problem) {
    log('error', `the result of autopilot ${directory.id} could not be written`, problem);
  }
  return { ...output, artifacts: await directory.artifacts().catch(() => []) };
}

/** Continues an autopilot whose host was killed, or finishes it with the results so far if it must not continue. */
async function resume(hosted: HostedAutopilot): Promise<AutopilotOutput> {
  const { directory, runner, options } = hosted;
  const { path, id } = directory;
  const queue = await runner.queue;
  for (const run of queue.open())
    if (run.directory.startsWith(path + sep)) await recoverRun(runner, run, true);
  const loaded = await loadAutopilot(path, id);
  if (loaded === undefined) throw new Error(`the directory of autopilot ${id} was removed`);
  if (loaded.status !== 'running') return loaded;
  const state = await loadResumableState(path);
  const mayContinue =
    state !== undefined &&
    queue.cancellationReason(path) === undefined &&
    (await isPermitted(loaded, state.request.cwd, options));
  if (!mayContinue) {
    const recovery = { env: options.env, stateDir: dirname(options.queueFile), redact: runner.redact };
    return recoverAutopilot(directory, loaded, recovery, queue.cancellationReason(path));
  }
  const { request } = state;
  // The settings of the server that continues the autopilot may be stricter.
  const asks = request.mayAsk === true && mayAsk('workspace-write', {}, options);
  const ports = await createPorts(hosted);
  return new Autopilot(directory, { ...request, mayAsk: asks }, ports).resume(loaded, state);
}

/** True if the server that continues the autopilot would grant the jobs their sandboxes if a caller asked for them. */
async function isPermitted({ plan }: AutopilotOutput, cwd: string, options: HostOptions): Promise<boolean> {
  const granted = plan.jobs.map(({ sandbox }) =>
    grantSandbox(sandbox, cwd, { threads: [], workspaces: [] }, options).then(
      (result) => result.sandbox === sandbox,
      () => false,
    ),
  );
  return !(await Promise.all(granted)).includes(false);
}

async function createPorts({
  directory,
  runner,
  options,
  signal,
  listen,
}: HostedAutopilot): Promise<AutopilotPorts> {
  const queue = await runner.queue;
  const { path } = directory;
  // Stored, so that another host honours it if this one is killed.
  const store = () => queue.requestCancellation(path, messageOf(signal.reason));
  if (signal.aborted) store();
  else signal.addEventListener('abort', store, { once: true });
  return {
    settings: options.autopilot,
    codexHome: options.codexHome,
    userHome: options.userHome,
    env: options.env,
    stateDir: dirname(options.queueFile),
    run: (...args) => runner.run(...args),
    agent: options.agent,
    available: (names) => runner.agents.installed(names),
    confine: (sandbox, ...workspaces) => confine(runner, sandbox, workspaces),
    listen,
    signal,
    isCancelled: () => queue.cancellationReason(path) !== undefined,
  };
}

/** The sandbox for checks is that of the configured agent, or of an installed one whose sandbox accepts other commands. */
async function confine(
  { agents }: AgentRunner,
  sandbox: Sandbox,
  workspaces: Workspaces,
): Promise<Confinement | undefined> {
  const configured = agents.get();
  if (configured.confine !== undefined) return configured.confine(sandbox, ...workspaces);
  const able = agents.all.filter((agent) => agent.confine !== undefined).map(({ name }) => name);
  const [other] = await agents.installed(able);
  return other === undefined ? undefined : agents.get(other).confine?.(sandbox, ...workspaces);
}
