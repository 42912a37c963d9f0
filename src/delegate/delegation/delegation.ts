import { relative, sep } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type Context, isOwner } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { Change } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { storageReason } from '../../storage-error.ts';
import type { Agent, AgentName } from '../agents/agent.ts';
import { createClaude } from '../agents/claude.ts';
import { createCodex } from '../agents/codex.ts';
import { createRedaction, type Redact } from '../files/redaction.ts';
import { RunDirectory } from '../files/run-directory.ts';
import { isStartedByAgent } from '../process/ancestry.ts';
import { runMarker } from '../process/process-table.ts';
import { loadRecord, notStartedRecord, type RunRecord } from '../record/run-record.ts';
import type { RunResult } from '../record/run-request.ts';
import { Supervisor } from '../run/supervisor.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import { createRunRequest } from './assignment.ts';
import { identifyCaller } from './caller.ts';
import type { Caller } from './permissions.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { ResumeInput, RunInput } from './run-schema.ts';
import { resolveThread } from './thread.ts';

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
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly reporter: ProgressReporter;
}

/** Starts runs for tool calls, checks what the caller may do, and reports progress to the client. */
export class Delegation {
  readonly options: DelegateOptions;
  readonly redact: Redact;
  readonly supervisor: Supervisor;
  readonly #agents: Readonly<Record<AgentName, Agent>>;
  readonly #publish: (change: Change) => void;
  readonly #pending = new Set<Promise<unknown>>();
  #isDraining = false;

  constructor(options: DelegateOptions, publish: (change: Change) => void) {
    this.options = options;
    this.#publish = publish;
    this.redact = createRedaction(options.knownVariables ?? options.env);
    const commandOf = (name: AgentName) => (options.agent === name ? options.command : undefined);
    this.#agents = {
      codex: createCodex({ ...options, command: commandOf('codex') }),
      claude: createClaude({ ...options, command: commandOf('claude') }),
    };
    this.supervisor = new Supervisor({
      ...options,
      agents: this.#agents,
      redact: this.redact,
      onChange: (path, change) => {
        if (change === 'event')
          for (const uri of eventResources(relative(options.runsDir, path)))
            publish({ kind: 'resource', uri });
        else publish({ kind: 'resources' });
      },
    });
  }

  /** The agent for new runs. */
  get agent(): Agent {
    return this.#agents[this.options.agent];
  }

  /** The agent of an existing run, read from its `codex_exec.json`. */
  findAgent(exec: Readonly<Record<string, unknown>> | undefined): Agent {
    return this.#agents[exec?.['agent'] === 'claude' ? 'claude' : 'codex'];
  }

  startRun(
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    context: Context,
  ): Promise<StartedRun<RunRecord>> {
    return this.start(tool, input, context, notStartedRecord, async (run) => {
      const { directory } = run;
      const result = await this.#run(tool, input, run);
      const record = await loadRecord(directory.path, directory.id, result);
      if (record === undefined) throw new Error(`the directory of run ${directory.id} was removed`);
      return record;
    });
  }

  async #run(
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    { directory, caller, signal, reporter }: RunContext,
  ): Promise<RunResult> {
    try {
      const threadId = 'thread_id' in input ? await resolveThread(input.thread_id, this.options) : null;
      await this.supervisor.enqueue({ directory, tool, threadId });
      await this.refuseSubagents(caller);
      const request = await createRunRequest(tool, input, directory, caller, this.options);
      return await this.supervisor.run(request, {
        signal,
        onEvent: (event) => reporter.event(event),
        onState: (state) => reporter.state(state),
      });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
      return await this.supervisor.refuse(directory, error.message);
    }
  }

  /** Creates the run directory and starts the work. If the directory cannot be created, `createFailure` makes the output. */
  async start<Output extends { readonly status: string }>(
    tool: string,
    input: object,
    context: Context,
    createFailure: (error: string) => Output,
    work: (run: RunContext) => Promise<Output>,
  ): Promise<StartedRun<Output>> {
    const { runsDir, onDisconnect } = this.options;
    const caller = await identifyCaller(context, input, this.options);
    let directory: RunDirectory;
    try {
      directory = await RunDirectory.create(runsDir, this.redact, {
        tool,
        received_at: new Date().toISOString(),
        request: input,
        ...(!isOwner(context.actor) && { actor: context.actor.name }),
        // Another server that finds no result checks whether this server is still alive.
        server: (await this.supervisor.queue).self,
      });
    } catch (error) {
      const problem = `The run directory could not be created in ${runsDir}: ${storageReason(error, runsDir) ?? messageOf(error)}`;
      return { done: Promise.resolve(createFailure(problem)), directory: undefined, detach: () => {} };
    }
    const controller = new AbortController();
    const abort = () => {
      if (!isDisconnect(context.signal.reason) || onDisconnect === 'cancel')
        controller.abort(context.signal.reason);
    };
    if (context.signal.aborted) abort();
    context.signal.addEventListener('abort', abort, { once: true });
    const detach = () => context.signal.removeEventListener('abort', abort);
    const reporter = new ProgressReporter(context, tool, directory.id);
    this.#publish({ kind: 'resources' });
    const done = work({ directory, caller, signal: controller.signal, reporter });
    this.track(
      done
        .then(
          ({ status }) => reporter.finished(status),
          (error: unknown) => {
            reporter.finished('failed');
            if (!(error instanceof Failure)) log('error', `run ${directory.id} failed`, error);
          },
        )
        .finally(detach),
    );
    return {
      done,
      directory,
      detach() {
        reporter.mute();
        detach();
      },
    };
  }

  /** Refuses calls from sub-agents, recognised by the environment or the parents of their server, or by their thread. */
  async refuseSubagents(caller: Caller): Promise<void> {
    const queue = await this.supervisor.queue;
    if (
      this.options.env[runMarker] !== undefined ||
      caller.threads.some((thread) => queue.knowsThread(thread)) ||
      (await isStartedByAgent())
    )
      throw new Failure('refused', 'A sub-agent may not start sub-agents; do the task yourself.');
  }

  /** Waits as long as a call may take. Returns `undefined`, and detaches the run, if it takes longer. */
  async waitForOutcome<Output>(run: StartedRun<Output>): Promise<Output | undefined> {
    const { answerWithinMs } = this.options;
    if (answerWithinMs === 0) return run.done;
    const timer = new AbortController();
    const timeout = after(answerWithinMs, undefined, { signal: timer.signal }).catch(() => undefined);
    try {
      const output = await Promise.race([run.done, timeout]);
      if (output === undefined) run.detach();
      return output;
    } finally {
      timer.abort();
    }
  }

  /** Starts no more work. Waits for runs that are being cancelled and releases all others. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.supervisor.drain();
    await Promise.allSettled(this.#pending);
  }

  async close(): Promise<void> {
    await this.drain();
    await this.supervisor.close();
  }

  /** Makes `drain` wait for this work, and notifies subscribers when it is done. */
  track(work: Promise<unknown>): void {
    this.#pending.add(work);
    const forget = () => {
      this.#pending.delete(work);
      this.#publish({ kind: 'resources' });
    };
    work.then(forget, (error: unknown) => {
      log('error', 'a run could not be finished', error);
      forget();
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }
}

/** The event files that change when an agent writes an event: its own, and the autopilot's if it runs a job. */
function eventResources(run: string): readonly string[] {
  const parts = run.split(sep);
  return [...new Set([parts.join('/'), parts[0]])].map((name) => `runs://${name}/events.jsonl`);
}

function isDisconnect(reason: unknown): boolean {
  return reason instanceof Failure && reason.data?.['disconnected'] === true;
}
