import { relative, sep } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import type { Change, Context } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { Agent, AgentName } from '../agents/agent.ts';
import { createClaude } from '../agents/claude.ts';
import { createCodex } from '../agents/codex.ts';
import { createRedaction, type Redact } from '../files/redaction.ts';
import { RunDirectory } from '../files/run-directory.ts';
import { runMarker } from '../process/process-table.ts';
import { loadRecord, type RunRecord, unbegunRecord } from '../record/run-record.ts';
import type { RunResult } from '../record/run-request.ts';
import { Supervisor } from '../run/supervisor.ts';
import type { DelegateOptions } from '../settings/delegate-options.ts';
import { createRunRequest } from './assignment.ts';
import { type Caller, readCaller } from './permissions.ts';
import { ProgressReporter } from './progress-reporter.ts';
import type { ResumeInput, RunInput } from './run-schema.ts';

/** A run that was asked for: under way, or refused already. */
export interface StartedRun<Output> {
  readonly done: Promise<Output>;
  /** Where it stands; `undefined` when nothing could be written of it. */
  readonly directory: RunDirectory | undefined;
  /** From now on the run is nobody's in particular: it goes on when its caller leaves. */
  detach(): void;
}

/** What the one who does the work of a run has to go by. */
export interface RunContext {
  readonly directory: RunDirectory;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly reporter: ProgressReporter;
}

/** What stands behind the tools: one supervisor, the runs it has, and what a caller may have. */
export class Delegation {
  readonly options: DelegateOptions;
  readonly redact: Redact;
  readonly supervisor: Supervisor;
  readonly #agents: Readonly<Record<AgentName, Agent>>;
  readonly #publish: (change: Change) => void;
  readonly #begun = new Set<Promise<unknown>>();
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
          for (const uri of eventFiles(relative(options.runsDir, path))) publish({ kind: 'resource', uri });
        else publish({ kind: 'resources' });
      },
    });
  }

  /** The agent that new runs are given to. */
  get agent(): Agent {
    return this.#agents[this.options.agent];
  }

  /** The agent that a run was given to, as its `codex_exec.json` tells. */
  agentOf(exec: Readonly<Record<string, unknown>> | undefined): Agent {
    return this.#agents[exec?.['agent'] === 'claude' ? 'claude' : 'codex'];
  }

  startRun(
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    context: Context,
  ): Promise<StartedRun<RunRecord>> {
    return this.begin(tool, input, context, unbegunRecord, async (run) => {
      const { directory } = run;
      const result = await this.#attempt(tool, input, run);
      const record = await loadRecord(directory.path, directory.id, result);
      if (record === undefined) throw new Error(`the run ${directory.id} has lost its directory`);
      return record;
    });
  }

  async #attempt(
    tool: 'delegate_run' | 'delegate_resume',
    input: RunInput | ResumeInput,
    { directory, caller, signal, reporter }: RunContext,
  ): Promise<RunResult> {
    try {
      const threadId = 'thread_id' in input ? input.thread_id.toLowerCase() : null;
      await this.supervisor.enqueue({ directory, tool, threadId });
      await this.refuseDelegates(caller);
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

  /** Makes the directory of a run and has the work done that leads to its output. */
  async begin<Output extends { readonly status: string }>(
    tool: string,
    input: object,
    context: Context,
    unbegun: (error: string) => Output,
    work: (run: RunContext) => Promise<Output>,
  ): Promise<StartedRun<Output>> {
    const { runsDir, onDisconnect } = this.options;
    let directory: RunDirectory;
    try {
      directory = await RunDirectory.create(runsDir, this.redact, {
        tool,
        received_at: new Date().toISOString(),
        request: input,
        // Whoever finds the run without a result asks whether this one still lives.
        server: (await this.supervisor.queue).self,
      });
    } catch (error) {
      const problem = `The run directory cannot be made in ${runsDir}: ${messageOf(error)}`;
      return { done: Promise.resolve(unbegun(problem)), directory: undefined, detach: () => {} };
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
    const done = work({ directory, caller: readCaller(context.meta), signal: controller.signal, reporter });
    this.keep(
      done
        .then(
          ({ status }) => reporter.finished(status),
          (error: unknown) => {
            reporter.finished('failed');
            if (!(error instanceof Failure)) log('error', `the run ${directory.id} broke off`, error);
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

  /** Delegates are not to delegate: not by a marked environment, and not from a thread that a run has started. */
  async refuseDelegates(caller: Caller): Promise<void> {
    const queue = await this.supervisor.queue;
    if (
      this.options.env[runMarker] !== undefined ||
      caller.threads.some((thread) => queue.knowsThread(thread))
    )
      throw new Failure('refused', 'A sub-agent may not start sub-agents; do the task yourself.');
  }

  /** What a run has come to within the time that a call may take; `undefined` when it goes on longer. */
  async waitForOutcome<Output>(begun: StartedRun<Output>): Promise<Output | undefined> {
    const { answerWithinMs } = this.options;
    if (answerWithinMs === 0) return begun.done;
    const limit = new AbortController();
    const late = after(answerWithinMs, undefined, { signal: limit.signal }).catch(() => undefined);
    try {
      const output = await Promise.race([begun.done, late]);
      if (output === undefined) begun.detach();
      return output;
    } finally {
      limit.abort();
    }
  }

  /** Begins nothing more; what was begun has come to its end here, or goes on by itself. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.supervisor.drain();
    await Promise.allSettled(this.#begun);
  }

  async close(): Promise<void> {
    await this.drain();
    await this.supervisor.close();
  }

  /** Work that is waited for at the end; whoever watches runs is told when it is done. */
  keep(work: Promise<unknown>): void {
    this.#begun.add(work);
    const forget = () => {
      this.#begun.delete(work);
      this.#publish({ kind: 'resources' });
    };
    work.then(forget, (error: unknown) => {
      log('error', 'what was begun cannot be brought to its end', error);
      forget();
    });
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }
}

/** What an agent does stands in its own events, and where it is part of an autopilot, in those of the whole. */
function eventFiles(run: string): readonly string[] {
  const parts = run.split(sep);
  return [...new Set([parts.join('/'), parts[0]])].map((name) => `runs://${name}/events.jsonl`);
}

function isDisconnect(reason: unknown): boolean {
  return reason instanceof Failure && reason.data?.['disconnected'] === true;
}
