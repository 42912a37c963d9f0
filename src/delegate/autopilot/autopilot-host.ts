import { dirname, resolve, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { messageOf, present } from '../../json.ts';
import { log } from '../../log.ts';
import type { CommandPlace, Confinement } from '../agents/agent.ts';
import { hiddenVariables } from '../agents/agent-bounds.ts';
import type { Agents } from '../agents/agents.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import { type AgentRunner, isSystemError } from '../run/agent-runner.ts';
import { approvalLifetime } from '../run/approvers.ts';
import { expandTexts, type Texts } from '../run/assignment.ts';
import type { Delegation, StartedRun } from '../run/delegation.ts';
import type { HostOptions } from '../run/host-message.ts';
import { type Caller, grantSandbox, mayAsk } from '../run/permissions.ts';
import { endEvent } from '../run/run-events.ts';
import { recoverRun } from '../run/run-recovery.ts';
import { writeEnd } from '../run/run-state.ts';
import { demandRepository } from '../workspace/commits.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { Autopilot } from './autopilot.ts';
import { endOf } from './autopilot-log.ts';
import type { AutopilotOutput } from './autopilot-output.ts';
import { failedAutopilot, loadAutopilot, loadResumableState, saveState } from './autopilot-record.ts';
import { recoverAutopilot } from './autopilot-recovery.ts';
import type { AutopilotPorts, AutopilotRequest, Candidate, ComparisonRequest } from './autopilot-request.ts';
import type { AutopilotInput } from './autopilot-schema.ts';
import { maxPlanJobs, type Plan, planOf } from './plan.ts';

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
  await finishInQueue(runner, directory);
  return output;
}

async function finishInQueue(runner: AgentRunner, { path }: RunDirectory): Promise<void> {
  const queue = await runner.queue;
  queue.finish(path, await endEvent(queue.events, path));
}

/** Writes a failed result. */
export async function failAutopilot(
  directory: RunDirectory,
  runner: AgentRunner,
  error: string,
): Promise<AutopilotOutput> {
  const output = { ...failedAutopilot(error), run_id: directory.id, run_dir: directory.path };
  try {
    await writeEnd(directory, endOf(output));
    await finishInQueue(runner, directory);
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
    isDocument: options.document,
    // The drop-in contract limits the jobs of a plan to `max_agents`.
    maxJobs: options.document ? undefined : maxPlanJobs,
    codexHome: options.codexHome,
    userHome: options.userHome,
    env: options.env,
    stateDir: dirname(options.queueFile),
    run: (...args) => runner.run(...args),
    agent: options.agent,
    available: (names) => runner.agents.installed(names),
    hiddenVariables: hiddenVariables(options),
    confine: (place) => confine(runner, place),
    listen,
    signal,
    cancellationReason: () => queue.cancellationReason(path),
  };
}

/** The sandbox for checks is that of the configured agent, or of an installed one whose sandbox accepts other commands. */
async function confine({ agents }: AgentRunner, place: CommandPlace): Promise<Confinement | undefined> {
  const configured = agents.get();
  if (configured.confine !== undefined) return configured.confine(place);
  const able = agents.all.filter((agent) => agent.confine !== undefined).map(({ name }) => name);
  const [other] = await agents.installed(able);
  return other === undefined ? undefined : agents.get(other).confine?.(place);
}

/** Starts an autopilot, or a comparison of candidates, in a run host. A refused call becomes a failed result. */
export async function startAutopilot(
  delegation: Delegation,
  input: AutopilotInput & Partial<ComparisonRequest>,
  context: Context,
): Promise<StartedRun<AutopilotOutput>> {
  const tool = input.candidates === undefined ? 'delegate_autopilot' : 'delegate_compare';
  const row = { tool, state: 'autopilot' } as const;
  const texts = await expandTexts(input, delegation.options, context);
  const jobs = await Promise.all(
    (input.jobs ?? []).map(async (job) => ({
      ...job,
      task: (await expandTexts({ task: job.task, role: '' }, delegation.options, context)).task,
    })),
  );
  return delegation.start(row, input, context, failedAutopilot, async (run) => {
    const { directory, caller } = run;
    try {
      const output = await delegation.hosts.carry(run, 'autopilot', run.host, async () => {
        const request = await createRequest(
          delegation,
          { ...input, ...(jobs.length > 0 && { jobs }) },
          caller,
          texts,
        );
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
  const plan = input.jobs && (await planCallerJobs(delegation.runner.agents, input, sandbox));
  const isPlain = options.document || comparison !== undefined;
  const apply = isPlain ? 'auto' : (input.apply ?? options.apply);
  if (apply === 'branch') await demandRepository(cwd, options.env);
  return {
    input,
    cwd,
    sandbox,
    ...texts,
    warnings,
    ...present({ librarySkills: await options.librarySkills?.() }),
    ...(mayAsk('workspace-write', caller, options) && {
      mayAsk: true,
      ...present({ approvalTimeoutMs: await approvalLifetime(options) }),
    }),
    ...(apply !== 'auto' && { apply }),
    ...(comparison && { comparison }),
    ...(plan && { plan }),
  };
}

/** Refuses jobs that cannot be run, before any of them starts. */
async function planCallerJobs(agents: Agents, input: AutopilotInput, sandbox: Sandbox): Promise<Plan> {
  const { jobs = [] } = input;
  const names = input.agents ?? agents.all.map(({ name }) => name);
  const parsed = planOf(jobs, { maxJobs: maxPlanJobs, sandbox, agents: names, shortlist: [] });
  if ('problems' in parsed)
    throw new Failure('refused', `The jobs cannot be run. ${parsed.problems.join(' ')}`);
  await demandAgents(agents, parsed.plan.jobs);
  return parsed.plan;
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
