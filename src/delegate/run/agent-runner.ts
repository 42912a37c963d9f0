import { promises as disk } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { WakeSignal } from '../../pace.ts';
import type { Agent, Invocation } from '../agents/agent.ts';
import { Agents } from '../agents/agents.ts';
import { contain, type Program } from '../process/containment.ts';
import { terminateRun } from '../process/process-end.ts';
import { createRedaction, type Redact } from '../process/redaction.ts';
import { demandRepository } from '../workspace/commits.ts';
import { changesState } from '../workspace/journal.ts';
import { removeFolder } from '../workspace/remove-folder.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { releaseWorkspace, Workspace, workspaceFolder } from '../workspace/workspace.ts';
import { followRun, requestedStop, watchCancellation } from './follower.ts';
import type { HostOptions } from './host-message.ts';
import { type OpenRun, ownRuns } from './open-run.ts';
import { describeStorageError, type FinishedRun, finishRun } from './run-finish.ts';
import { RunMeter } from './run-meter.ts';
import { RunProgress } from './run-progress.ts';
import { RunQueue } from './run-queue.ts';
import { waitForTurn } from './run-recovery.ts';
import { callDefaults, type RunHooks, type RunRequest, type RunResult } from './run-request.ts';
import { startRun } from './run-start.ts';
import { writeStart } from './run-state.ts';

/** A run whose agent is ready to start. */
export interface PreparedRun {
  readonly invocation: Invocation;
  /** The program around the agent, if the run is read-only. */
  readonly program?: Program;
  /** False if the run has to wait for other runs. */
  readonly isNext: boolean;
}

type UnfinishedRun = Omit<
  FinishedRun,
  'queue' | 'redact' | 'env' | 'stateDir' | 'document' | 'prices' | 'budgets' | 'progress'
> &
  Partial<Pick<FinishedRun, 'progress'>>;

/** Runs agents. */
export class AgentRunner {
  readonly agents: Agents;
  readonly redact: Redact;
  readonly #options: HostOptions;
  readonly #lockTimeoutMs: number | undefined;
  #queue: Promise<RunQueue> | undefined;

  constructor(options: HostOptions, lockTimeoutMs?: number) {
    this.#options = options;
    this.#lockTimeoutMs = lockTimeoutMs;
    this.agents = new Agents(options);
    this.redact = createRedaction(options.knownVariables ?? options.env);
  }

  get queue(): Promise<RunQueue> {
    this.#queue ??= RunQueue.open(this.#options.queueFile, this.#lockTimeoutMs).catch((error: unknown) => {
      this.#queue = undefined;
      throw error;
    });
    return this.#queue;
  }

  /** The drop-in contract names `codex exec`. */
  get #isLive(): boolean {
    return !this.#options.document;
  }

  /** Writes the input of an agent, and takes a place in the queue if one is free. */
  async prepare(request: RunRequest): Promise<PreparedRun> {
    await this.enqueue(request);
    const invocation = await this.#prepareRun(this.agents.get(request.agent), request);
    const queue = await this.queue;
    await this.#recordEarlierUsage(queue, request);
    const { path } = request.directory;
    const isCancelled = requestedStop(undefined, queue, path) !== undefined;
    const isNext = !isCancelled && (await this.tryStart(queue, path));
    // Only the process that carries a writing run can claim its folder, so the place of that run is not known yet.
    const program = request.sandbox === 'read-only' ? await this.#contain(invocation, request) : undefined;
    return { invocation, ...(program && { program }), isNext };
  }

  /** Runs an agent from an empty run directory to `result.json`. */
  async run(request: RunRequest, hooks: RunHooks, prepared?: PreparedRun): Promise<RunResult> {
    const { directory } = request;
    const agent = this.agents.of(request.agent ?? this.#options.agent);
    const { signal } = hooks;
    const wakeSignal = new WakeSignal();
    const wake = () => wakeSignal.notify();
    const limits = {
      ...this.#options.limits,
      ...(request.totalTimeoutMs !== undefined && { total: request.totalTimeoutMs }),
    };
    let workspace: Workspace | undefined;
    ownRuns.add(directory.path);
    signal.addEventListener('abort', wake);
    try {
      const receivedAt = new Date();
      const ready = prepared ?? (await this.prepare(request));
      if (signal.aborted || !ready.isNext) {
        const stop = await waitForTurn(this, request, wakeSignal, hooks);
        if (stop !== undefined) return await this.finish({ directory, agent, startedAt: receivedAt, stop });
      }
      let { invocation } = ready;
      let placed = request;
      const { sharedBy } = request;
      // The changes of an earlier run may have been applied while this one has waited.
      const state = sharedBy && (await changesState(join(sharedBy.path, workspaceFolder)));
      const isView = state === 'waiting' || state === 'branch';
      if (request.sandbox === 'workspace-write' || isView) {
        workspace = await isolateRun(request, hooks, await this.queue, this.#options);
        if (workspace === undefined) {
          const stop = requestedStop(signal, await this.queue, directory.path)!;
          return await this.finish({ directory, agent, startedAt: receivedAt, stop });
        }
        placed = inWorkspace(request, workspace);
        if (placed.cwd !== request.cwd) invocation = await this.#prepareRun(agent, placed);
      }
      const meter = await RunMeter.start((await this.queue).spending, request, agent, this.#options);
      const stop = meter.measure(new RunProgress(), true);
      if (stop !== undefined) return await this.finish({ directory, agent, startedAt: receivedAt, stop });
      hooks.onState?.('running');
      const program =
        (workspace === undefined ? ready.program : undefined) ?? (await this.#contain(invocation, placed));
      const startedAt = new Date();
      const queue = await this.queue;
      const contained = { invocation, program };
      const { redact } = this;
      const process = await startRun(
        { agent, contained, request: placed, hooks, queue, redact, wake },
        this.#options,
      );
      if (process.identity !== undefined) queue.recordProcess(directory.path, process.identity);
      // Checked during the run, so that the answer is ready when the run finishes.
      const sandboxWorks =
        request.sandbox === 'danger-full-access' || agent.sandboxWorks === undefined
          ? undefined
          : queue
              .checkOnce(`sandbox of ${ready.invocation.command}`, () =>
                agent.sandboxWorks!(placed.cwd, request.cwd),
              )
              .catch(() => true);
      const followed = await followRun({
        directory,
        agent,
        queue,
        process,
        redact,
        limits,
        startedAt,
        signal,
        wakeSignal,
        measure: (progress) => meter.measure(progress),
        ...(hooks.onEvent && { onEvent: hooks.onEvent }),
      }).catch(async (error: unknown) => {
        // An agent that cannot be followed must not keep running unobserved.
        await terminateRun(process.identity, directory.id, limits.grace);
        throw error;
      });
      const { spawnError } = followed.exit;
      return await this.finish({
        directory,
        agent,
        startedAt,
        signal,
        ...followed,
        ...(sandboxWorks && { sandboxWorks }),
        ...(spawnError !== undefined && { spawnError }),
      });
    } catch (error) {
      // Refusals and system errors (missing program or folder, full disk) become a failed result.
      if (!(error instanceof Failure || isSystemError(error))) throw error;
      return await this.refuse(directory, describeStorageError(error, directory));
    } finally {
      await agent.keep?.(directory.file('.agent')).catch((error: unknown) => {
        log('warning', `the renewed sign-in of ${agent.name} could not be kept`, error);
      });
      // The files of the sandbox can contain copies of the agent's settings.
      await removeFolder(directory.file('.agent')).catch(() => {});
      // An autopilot applies the changes of its jobs itself.
      if (workspace !== undefined && request.tool !== 'delegate_autopilot')
        await releaseWorkspace(dirname(this.#options.queueFile), directory.id);
      signal.removeEventListener('abort', wake);
      ownRuns.delete(directory.path);
    }
  }

  #prepareRun(agent: Agent, request: RunRequest): Promise<Invocation> {
    const invocation = prepareRun(agent, request, this.#isLive);
    // The document's server has only Codex.
    return this.#options.document ? invocation : this.agents.namingOthers(agent, invocation);
  }

  #contain(invocation: Invocation, request: RunRequest): Promise<Program> {
    const { env, containment } = this.#options;
    const isUnrestricted = request.sandbox === 'danger-full-access';
    const { bounds } = invocation;
    const options = { ...request, env, containment, isUnrestricted, endsWithParent: true, bounds };
    return contain(invocation, request.cwd, options);
  }

  /**
   * Adds a run to the queue. Servers do this on arrival, before preparing the run, so that queue order is arrival order. False
   * if it is in the queue already.
   */
  async enqueue({
    directory: { path, id },
    tool,
    agent = this.#options.agent,
    threadId = null,
    state = 'waiting',
  }: Pick<RunRequest, 'tool' | 'agent'> & {
    readonly directory: Pick<RunDirectory, 'path' | 'id'>;
    readonly threadId?: string | null;
    readonly state?: OpenRun['state'];
  }): Promise<boolean> {
    return (await this.queue).enqueue({ directory: path, runId: id, agent, tool, threadId, state });
  }

  /** Writes a failed result for a run that is not started. */
  refuse(directory: RunDirectory, reason: string): Promise<RunResult> {
    return this.finish({
      directory,
      agent: this.agents.of(this.#options.agent),
      startedAt: new Date(),
      spawnError: reason,
    });
  }

  /** Writes the result of a run whose agent has exited or was not started. */
  finish(run: UnfinishedRun): Promise<RunResult> {
    const { env, queueFile, document, prices, budgets } = this.#options;
    return this.queue.then((queue) =>
      finishRun({
        progress: new RunProgress(),
        ...run,
        queue,
        redact: this.redact,
        env,
        stateDir: dirname(queueFile),
        document,
        prices,
        budgets,
      }),
    );
  }

  /** Records what a thread from outside Adjutant has used so far, so that this run's usage excludes it. */
  async #recordEarlierUsage(queue: RunQueue, { directory, threadId, agent }: RunRequest): Promise<void> {
    if (threadId === undefined || queue.threadUsage(threadId) !== undefined) return;
    const total = await this.agents
      .get(agent)
      .threadTotal?.(threadId)
      .catch(() => undefined);
    if (total === undefined) return;
    queue.recordThread(directory.path, directory.id, threadId);
    queue.recordUsage(threadId, total);
  }

  /** Takes a place in the queue if one is free. */
  tryStart(queue: RunQueue, path: string): Promise<boolean> {
    return queue.tryStart(path, this.#options.maxParallel, new Date().toISOString());
  }

  async close(): Promise<void> {
    const queue = await this.#queue?.catch(() => undefined);
    this.#queue = undefined;
    queue?.close();
  }
}

export function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === 'string';
}

/** Writes the prompt, the output schema and the command line into the run directory. Returns the command to start. */
async function prepareRun(agent: Agent, request: RunRequest, isLive: boolean): Promise<Invocation> {
  const { directory, cwd } = request;
  const stats = await disk.stat(cwd).catch(() => undefined);
  if (stats === undefined) throw new Failure('refused', `the working folder ${cwd} does not exist`);
  if (!stats.isDirectory()) throw new Failure('refused', `the working folder ${cwd} is not a folder`);
  await directory.writeText('subagent_prompt.txt', request.prompt);
  await directory.writeJson('subagent_output.schema.json', request.outputSchema);
  const call = {
    ...callDefaults,
    ...request,
    outputSchemaFile: directory.file('subagent_output.schema.json'),
    lastMessageFile: directory.file('last_message.json'),
    isLive,
  };
  const invocation = await agent.invoke(call);
  const { conversation, subcommandArgs } = invocation;
  const [by, threadId] = subcommandArgs;
  await writeStart(
    directory,
    {
      agent: agent.name,
      argv: [invocation.command, ...invocation.args],
      cwd,
      sandbox: request.sandbox,
      ...(request.model !== undefined && { model: request.model }),
      ...(conversation && { protocol: conversation.protocol, session: conversation.options }),
      ...(threadId !== undefined && { parent: { by: by === 'fork' ? 'fork' : 'resume', threadId } }),
      ...(request.sharedBy && { view: request.sharedBy.path }),
      warnings: [...(request.warnings ?? []), ...(invocation.warnings ?? [])],
    },
    isLive
      ? undefined
      : {
          skip_git_repo_check: call.skipGitRepoCheck,
          config_overrides: call.configOverrides,
          subcommand_args: subcommandArgs,
        },
  );
  return invocation;
}

/** Gives a writing run its view of the folder. Returns `undefined` if the run is cancelled while it waits for the folder. */
async function isolateRun(
  { directory, cwd, sandbox, apply = 'auto', continues, sharedBy = directory }: RunRequest,
  { signal }: RunHooks,
  queue: RunQueue,
  options: HostOptions,
): Promise<Workspace | undefined> {
  const { queueFile, runsDir, env } = options;
  if (apply === 'branch' && sandbox !== 'read-only') await demandRepository(cwd, env);
  using cancellation = watchCancellation(signal, queue, directory.path);
  try {
    const own = { ...options, stateDir: dirname(queueFile), ignored: [runsDir], apply, continues };
    return await Workspace.create(sharedBy, cwd, own, cancellation.signal);
  } catch (error) {
    if (!cancellation.signal.aborted) throw error;
    return undefined;
  }
}

/** The request of a run that works in a workspace. */
function inWorkspace(request: RunRequest, { folder, overlay }: Workspace): RunRequest {
  // An overlay has the path that the caller named, which may contain links.
  const cwd = overlay === undefined ? folder : request.cwd;
  const notice =
    cwd === request.cwd
      ? ''
      : `You work in a copy of ${request.cwd}. If an instruction names a path below that folder, use the same path below your working directory, ${cwd}.\n\n`;
  return {
    ...request,
    prompt: notice + request.prompt,
    cwd,
    origin: request.cwd,
    ...(overlay && { overlay }),
  };
}
