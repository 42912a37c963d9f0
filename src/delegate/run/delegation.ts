import { fileURLToPath } from 'node:url';
import { type Context, identityOf, isOwner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { Change } from '../../feature.ts';
import { isObject, messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { within } from '../../pace.ts';
import { storageReason } from '../../storage-error.ts';
import type { Agent } from '../agents/agent.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import { isStartedByAgent, runMarker } from '../process/process-table.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import { AgentRunner, isSystemError } from './agent-runner.ts';
import { ApprovalQuestions } from './approval-questions.ts';
import { notifiedPerson } from './approvers.ts';
import { createRunRequest, expandTexts, type Texts } from './assignment.ts';
import type { DelegateOptions } from './delegate-options.ts';
import type { HostClient } from './host-client.ts';
import { HostedRuns, RunReleased } from './hosted-runs.ts';
import { ownRuns } from './open-run.ts';
import { type Caller, readCaller } from './permissions.ts';
import { ProgressReporter } from './progress-reporter.ts';
import { describeStorageError } from './run-finish.ts';
import { loadRecord, notStartedRecord, type RunRecord } from './run-record.ts';
import type { RunRequest, RunResult } from './run-request.ts';
import type { ForkInput, ResumeInput, RunInput, StartingTool } from './run-schema.ts';
import { type AgentStart, callFile } from './run-state.ts';
import { findTarget, type Target } from './thread.ts';

/** A run in progress, or one that was refused. */
export interface StartedRun<Output> {
  readonly done: Promise<Output>;
  /** The run directory; `undefined` if it could not be created. */
  readonly directory: RunDirectory | undefined;
  /** Decouples the run from its call: it continues if the client disconnects, and reports no more progress. */
  detach(): void;
}

export interface RunContext {
  readonly directory: RunDirectory;
  /** The host that will carry the run. */
  readonly host: Promise<HostClient>;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly reporter: ProgressReporter;
  readonly questions: ApprovalQuestions;
}

/** A new run as it is added to the queue. */
type NewRun = Pick<RunRequest, 'tool' | 'agent'> & {
  readonly threadId?: string;
  readonly state?: 'autopilot';
};

/** Starts runs for tool calls, checks what the caller may do, and reports progress to the client. */
export class Delegation {
  readonly options: DelegateOptions;
  readonly runner: AgentRunner;
  readonly hosts: HostedRuns;
  readonly #publish: (change: Change) => void;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(options: DelegateOptions, publish: (change: Change) => void) {
    this.options = options;
    this.#publish = publish;
    this.runner = new AgentRunner(options);
    this.hosts = new HostedRuns(options, this.runner, publish);
  }

  /** The agent of an existing run. */
  findAgent(start: AgentStart | undefined): Agent {
    return this.runner.agents.of(start?.agent ?? 'codex');
  }

  async startRun(
    tool: StartingTool,
    input: RunInput | ResumeInput | ForkInput,
    context: Context,
  ): Promise<StartedRun<RunRecord>> {
    const target = await findTarget(input, this.options, this.runner.agents, () => this.runner.queue);
    const texts = await expandTexts(input, this.options, context);
    const { threadId, ...fresh } = target;
    // A fork gets a thread of its own.
    const row = 'fork' in input ? fresh : target;
    const started = await this.start({ ...row, tool }, input, context, notStartedRecord, async (run) => {
      const { directory } = run;
      const result = await this.#run(tool, input, run, target, texts);
      const record = await loadRecord(directory.path, directory.id, result);
      if (record === undefined) throw new Error(`the directory of run ${directory.id} was removed`);
      return record;
    });
    // The earlier run goes on, so nobody needs its news any more.
    if (tool === 'delegate_resume' && target.runDir !== undefined)
      (await this.runner.queue).events.closeAll(target.runDir, 'all');
    return started;
  }

  async #run(
    tool: StartingTool,
    input: RunInput | ResumeInput | ForkInput,
    run: RunContext,
    target: Target,
    texts: Texts,
  ): Promise<RunResult | undefined> {
    const { directory, caller } = run;
    try {
      const result = await this.hosts.carry(run, 'run', run.host, async () => {
        await this.refuseSubagents(caller);
        const request = await createRunRequest(tool, input, directory, caller, this.options, target, texts);
        return { request, prepared: await this.runner.prepare(request) };
      });
      return result as RunResult | undefined;
    } catch (error) {
      // Refusals and system errors become a failed result.
      const isExpected = error instanceof Failure ? !(error instanceof RunReleased) : isSystemError(error);
      if (!isExpected) throw error;
      return await this.runner.refuse(directory, describeStorageError(error, directory));
    }
  }

  /** Creates the run directory and starts the work. If the directory cannot be created, `createFailure` makes the output. */
  async start<Output extends { readonly status: string }>(
    row: NewRun,
    input: { readonly notify?: string },
    context: Context,
    createFailure: (error: string) => Output,
    work: (run: RunContext) => Promise<Output>,
  ): Promise<StartedRun<Output>> {
    const { runsDir, onDisconnect, outlivesClients } = this.options;
    const { tool } = row;
    const notify = await notifiedPerson(
      input.notify,
      context.actor,
      this.options.news,
      this.options.outreach,
    );
    const caller = await identifyCaller(context, input, this.options);
    const host = this.hosts.start();
    host.catch(() => {});
    let directory: RunDirectory;
    let path = '';
    try {
      const { actor } = context;
      const request = callFile({
        tool,
        receivedAt: new Date().toISOString(),
        input: { ...input },
        ...(!isOwner(actor) && { actor: actor.name, actorId: identityOf(actor) }),
        ...(notify && { notify }),
      });
      directory = await RunDirectory.create(runsDir, this.runner.redact, request, (created) => {
        path = created.path;
        ownRuns.add(path);
        return this.runner.enqueue({ ...row, directory: created });
      });
    } catch (error) {
      ownRuns.delete(path);
      await (await host).release();
      const problem = `The run directory could not be created in ${runsDir}: ${storageReason(error, runsDir) ?? messageOf(error)}`;
      return { done: Promise.resolve(createFailure(problem)), directory: undefined, detach: () => {} };
    }
    const controller = new AbortController();
    const leave = await this.#attend(path, notify?.ifLeft);
    const abort = () => {
      if (isDisconnect(context.signal.reason)) leave();
      if (!isDisconnect(context.signal.reason) || onDisconnect === 'cancel')
        controller.abort(context.signal.reason);
    };
    if (context.signal.aborted) abort();
    context.signal.addEventListener('abort', abort, { once: true });
    const detach = () => context.signal.removeEventListener('abort', abort);
    const reporter = new ProgressReporter(context, tool, directory.id);
    this.#publish({ kind: 'resources' });
    const { id } = directory;
    const send = (run: string, order: RunOrder) => this.hosts.order(path, run, order);
    const questions = new ApprovalQuestions(context, id, send, this.options.recordDecision);
    const done = work({ directory, host, caller, signal: controller.signal, reporter, questions });
    this.#track(
      done
        .then(
          ({ status }) => reporter.finished(status),
          (error: unknown) => {
            reporter.finished('failed');
            if (!(error instanceof Failure)) log('error', `run ${directory.id} failed`, error);
          },
        )
        .finally(() => {
          detach();
          questions.withdrawAll();
          ownRuns.delete(path);
        }),
    );
    return {
      done,
      directory,
      detach() {
        reporter.mute();
        questions.mute();
        detach();
        // On stdio, the client leaves when this process ends.
        if (outlivesClients) leave();
      },
    };
  }

  /** Records that a client waits for the run. Returns a function that records that it has left. */
  async #attend(path: string, isWanted = false): Promise<() => void> {
    if (!isWanted) return () => {};
    const { events, self } = await this.runner.queue;
    events.attend(path, self);
    return () => {
      try {
        events.leave(path);
      } catch (error) {
        log('warning', `it could not be recorded that the client has left run ${path}`, error);
      }
    };
  }

  /** Refuses calls from sub-agents, recognised by the environment or the parents of their server, or by their thread. */
  async refuseSubagents(caller: Caller): Promise<void> {
    if (await this.isSubagent(caller))
      throw new Failure('refused', 'A sub-agent may not start sub-agents; do the task yourself.');
  }

  async isSubagent({ threads }: Pick<Caller, 'threads'>): Promise<boolean> {
    const queue = await this.runner.queue;
    return (
      this.options.env[runMarker] !== undefined ||
      threads.some((thread) => queue.knowsThread(thread)) ||
      (await isStartedByAgent())
    );
  }

  /** Waits as long as a call may take. Returns `undefined`, and detaches the run, if it takes longer. */
  async waitForOutcome<Output>(run: StartedRun<Output>): Promise<Output | undefined> {
    const { answerWithinMs } = this.options;
    if (answerWithinMs === 0) return run.done;
    const output = await within(run.done, answerWithinMs);
    if (output === undefined) run.detach();
    return output;
  }

  /** Waits for runs that are being cancelled and leaves all others to their hosts. */
  async drain(): Promise<void> {
    await this.hosts.release();
    await Promise.allSettled(this.#pending);
  }

  async close(): Promise<void> {
    await this.drain();
    await this.runner.close();
  }

  /** Makes `drain` wait for this work, and notifies subscribers when it is done. */
  #track(work: Promise<unknown>): void {
    this.#pending.add(work);
    void Promise.allSettled([work]).then(() => {
      this.#pending.delete(work);
      this.#publish({ kind: 'resources' });
    });
  }
}

function isDisconnect(reason: unknown): boolean {
  return reason instanceof Failure && reason.data?.['disconnected'] === true;
}

const answerTimeoutMs = 5_000;

/** Who calls, and what the call may write. The document's server asks no client for its roots, and they limit only writing. */
async function identifyCaller(
  context: Context,
  input: object,
  { document }: { readonly document: boolean },
): Promise<Caller> {
  const mayWrite = 'sandbox' in input && input.sandbox !== 'read-only';
  const roots = mayWrite && !document ? await clientRoots(context) : undefined;
  return { ...readCaller(context), ...(roots !== undefined && { roots }) };
}

/**
 * The folders that the client has open. `undefined` if the client names none or does not answer. Call this before anything
 * with a side effect, because `ask` may run the tool again from its start.
 */
async function clientRoots(context: Context): Promise<readonly string[] | undefined> {
  if (!context.can('roots')) return undefined;
  try {
    const asked = context.ask({ roots: { method: 'roots/list', params: {} } });
    const answers = await within(asked, answerTimeoutMs);
    const listed = answers?.['roots']?.['roots'];
    const roots = (Array.isArray(listed) ? listed : []).flatMap(toPath);
    return roots.length === 0 ? undefined : roots;
  } catch (error) {
    if (!(error instanceof Error)) throw error; // A question to the client, not a failure.
    log('warning', `the client did not list its roots: ${error.message}`);
    return undefined;
  }
}

function toPath(root: unknown): string[] {
  try {
    return isObject(root) ? [fileURLToPath(String(root['uri']))] : [];
  } catch {
    return []; // Not a file, so no run can write there.
  }
}
