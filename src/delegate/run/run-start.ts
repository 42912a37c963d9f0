import { promises as disk } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFile } from '../../regular-file.ts';
import type { Agent } from '../agents/agent.ts';
import type {
  AgentConversation,
  AgentStreams,
  ConversationStart,
  TurnEnd,
} from '../agents/protocols/agent-conversation.ts';
import type { AgentEvent } from '../agents/protocols/agent-event.ts';
import type { PendingApproval, RunOrder } from '../agents/protocols/approval.ts';
import { parseRule } from '../agents/protocols/approval-rules.ts';
import { EventRecorder } from '../agents/protocols/event-recorder.ts';
import { AgentExited } from '../agents/protocols/json-peer.ts';
import { type ApprovalOptions, PendingApprovals } from '../agents/protocols/pending-approvals.ts';
import { endOrphans } from '../process/process-end.ts';
import { createHoldBack, type Redact } from '../process/redaction.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { type AgentProcess, type ContainedAgent, startAgent, startPiped } from './agent-process.ts';
import { validateAnswer } from './answer.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { requestEvent } from './run-events.ts';
import type { RunQueue } from './run-queue.ts';
import type { RunHooks, RunRequest } from './run-request.ts';
import { writeApprovals } from './run-state.ts';

type StartOptions = Pick<DelegateOptions, 'env' | 'knownVariables' | 'userHome' | 'approvals'>;

interface ReadyRun {
  readonly agent: Agent;
  readonly contained: ContainedAgent;
  readonly request: RunRequest;
  readonly hooks: RunHooks;
  readonly queue: RunQueue;
  readonly redact: Redact;
  /** Wakes the loop that follows the run. */
  readonly wake: () => void;
}

/** Starts the agent of a run, and drives its conversation if it has one. */
export async function startRun(run: ReadyRun, options: StartOptions): Promise<AgentProcess> {
  const { contained, request, wake } = run;
  const { directory, cwd } = request;
  const { env } = options;
  const start = { directory, agent: contained, cwd, env, onExit: wake };
  const text = `${contained.invocation.preamble ?? ''}${request.prompt}`;
  const { conversation } = contained.invocation;
  if (conversation === undefined) return startAgent(start, text);
  for (let attempt = 1; ; attempt += 1) {
    const process = await startPiped(start);
    const isOpen = await startConversation(run, conversation, text, process, options);
    if (isOpen || attempt === maxAttempts || !(await hasLostRace(directory))) return process;
    // The next attempt writes its own error output.
    await disk.rm(directory.file('stderr.log'), { force: true });
    await pause(attempt * 100);
  }
}

/** Drives the conversation of a run. Resolves to false if the agent exits at once. */
async function startConversation(
  { agent, request, hooks, queue, redact, wake }: ReadyRun,
  start: ConversationStart,
  text: string,
  { streams }: AgentProcess,
  options: StartOptions,
): Promise<boolean> {
  const { directory } = request;
  if (streams === undefined) return true;
  const { rules, timeoutMs } = options.approvals;
  const live = new LiveRun({
    directory,
    agent,
    start,
    request,
    text,
    streams,
    redact,
    heldBack: createHoldBack(options.knownVariables ?? options.env),
    approvals: {
      rules: rules.map((rule) => parseRule(rule, options.userHome)),
      timeoutMs: timeoutMs ?? request.approvalTimeoutMs ?? defaultApprovalMs,
    },
    onRequests: createRequestRecorder(directory, queue),
    onWrite: wake,
    onInterrupted(by) {
      queue.requestCancellation(directory.path, `interrupted by ${by}`);
      wake();
    },
  });
  hooks.onConversation?.(directory.id, (order) => live.order(order));
  void live.run().finally(() => hooks.onConversation?.(directory.id, undefined));
  // An agent that takes longer is followed like any other, so that it can be cancelled.
  return Promise.race([live.opened, pause(openTimeoutMs, true, { ref: false })]);
}

/** How long a request lives if nobody can be reached, and the settings say nothing. */
const defaultApprovalMs = 300_000;

/** Records the requests that wait for a person, with an event for each that was added and each that was answered. */
function createRequestRecorder(directory: RunDirectory, queue: RunQueue) {
  const open = new Map<string, string>();
  let last = Promise.resolve();
  const record = async (pending: readonly PendingApproval[]) => {
    await writeApprovals(directory, pending);
    const ids = new Set(pending.map(({ id }) => id));
    for (const [id, event] of open) if (!ids.has(id) && open.delete(id)) queue.events.close(event);
    for (const request of pending) {
      if (open.has(request.id)) continue;
      const event = await requestEvent(directory.path, request);
      open.set(request.id, event.id);
      queue.events.add(event, directory.path);
    }
  };
  return (pending: readonly PendingApproval[]) => {
    last = last
      .then(() => record(pending))
      .catch((error: unknown) =>
        log('warning', `the requests of run ${directory.id} could not be recorded`, error),
      );
  };
}

/** Several agents that create the same database at the same time can fail. */
async function hasLostRace(directory: RunDirectory): Promise<boolean> {
  const errors = await readRegularFile(directory.file('stderr.log')).catch(() => '');
  return errors.includes('failed to initialize sqlite state runtime');
}

const maxAttempts = 5;
const openTimeoutMs = 2_000;

interface LiveRunOptions {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly start: ConversationStart;
  readonly request: Pick<RunRequest, 'outputSchema' | 'repairsAnswer'>;
  readonly text: string;
  readonly streams: Pick<AgentStreams, 'input' | 'output'>;
  readonly redact: Redact;
  readonly heldBack: (text: string) => number;
  readonly approvals: ApprovalOptions;
  /** Called with the requests that wait for a person, after every change. */
  readonly onRequests: (pending: readonly PendingApproval[]) => void;
  /** Called after every change of the event file. */
  readonly onWrite: () => void;
  /** Ends the run, because a person has interrupted it and given the agent no other work. */
  readonly onInterrupted: (by: string) => void;
}

/** Drives the conversation of one run: starts its turns, records its events, and executes the orders of people. */
class LiveRun {
  readonly #options: LiveRunOptions;
  readonly #recorder: EventRecorder;
  readonly #approvals: PendingApprovals;
  readonly #opened = Promise.withResolvers<boolean>();
  #conversation: AgentConversation | undefined;
  #isInTurn = false;
  /** An interruption in progress, and the message to continue with. */
  #interruption: { readonly by: string; readonly message?: string } | undefined;

  constructor(options: LiveRunOptions) {
    const { directory, redact, heldBack, onWrite, approvals } = options;
    this.#options = options;
    this.#recorder = new EventRecorder(directory.file('events.jsonl'), redact, heldBack, {
      onWrite,
      onError: (error) => {
        log('error', `the events of run ${directory.id} could not be written`, error);
        // Without input the agent exits, and the run fails.
        options.streams.input.destroy();
      },
    });
    this.#approvals = new PendingApprovals(approvals, {
      record: (event) => this.#recorder.record(event),
      answer: (id, answer) => this.#conversation!.answer(id, answer),
      onChange: options.onRequests,
    });
  }

  /** Resolves to true when the conversation is open, and to false if it ends before that. */
  get opened(): Promise<boolean> {
    return this.#opened.promise;
  }

  /** Carries the conversation to its end. What went wrong is in the event file. */
  async run(): Promise<void> {
    const { agent, start, streams, text } = this.#options;
    try {
      this.#conversation = await agent.openConversation!(start, {
        ...streams,
        emit: (event) => this.#emit(event),
      });
      this.#opened.resolve(true);
      const end = await this.#converse(this.#conversation, text);
      if (end !== undefined) await this.#finish(end);
    } catch (error) {
      // The exit code and the error output of the agent say more.
      if (!(error instanceof AgentExited))
        this.#recorder.record({ kind: 'failed', message: messageOf(error) });
    } finally {
      this.#opened.resolve(false);
      this.#approvals.refuseAll('the end of the run');
      this.#recorder.close();
      streams.input.end();
    }
  }

  /** Executes an order of a person. Rejects with the reason why it cannot be executed. */
  async order(order: RunOrder): Promise<void> {
    const conversation = this.#conversation;
    const { agent } = this.#options;
    if (order.kind === 'answer') {
      const { decision, reason } = order;
      return this.#approvals.answer(order.approval, { decision, ...(reason && { reason }) }, order.by);
    }
    if (conversation === undefined || !this.#isInTurn || this.#interruption !== undefined)
      throw new Failure('refused', `${agent.label} is not working on a turn at the moment. Try again.`);
    if (!conversation.abilities[order.kind])
      throw new Failure(
        'refused',
        `${agent.label} does not support ${order.kind}. ${order.kind === 'steer' ? 'Interrupt the run with a message' : 'Cancel the run'} instead.`,
      );
    if (order.kind === 'steer') {
      await conversation.steer(order.message);
      return this.#recorder.record({ kind: 'steered', message: order.message, by: order.by });
    }
    const { by, message } = order;
    this.#interruption = { by, ...(message !== undefined && { message }) };
    this.#recorder.record({ kind: 'interrupted', ...this.#interruption });
    this.#approvals.refuseAll(`the interruption by ${by}`);
    await conversation.interrupt().catch((error: unknown) => {
      // Without a message the run ends, and its agent can exit before it has confirmed the interruption.
      if (!(error instanceof AgentExited)) throw error;
    });
    await endOrphans(this.#options.directory.id);
  }

  #emit(event: AgentEvent): void {
    if (event.kind === 'approval') this.#approvals.ask(event.request);
    else this.#recorder.record(event);
  }

  /**
   * Runs turns until the agent has given an answer: one for the task, one to repair the answer, and one per interruption with a
   * message. Returns `undefined` if an interruption ends the run.
   */
  async #converse(conversation: AgentConversation, task: string): Promise<TurnEnd | undefined> {
    const { outputSchema, repairsAnswer = true } = this.#options.request;
    let mayRepair = repairsAnswer;
    for (let text = task; ; ) {
      this.#isInTurn = true;
      const end = await conversation.runTurn({ text, outputSchema });
      this.#isInTurn = false;
      const interruption = this.#interruption;
      this.#interruption = undefined;
      if (interruption !== undefined) {
        if (interruption.message === undefined) {
          this.#options.onInterrupted(interruption.by);
          return undefined;
        }
        text = interruption.message;
        continue;
      }
      if (end.status !== 'completed' || !mayRepair) return end;
      const { problem } = await validateAnswer(end.message, outputSchema);
      if (problem === undefined) return end;
      mayRepair = false;
      this.#recorder.record({ kind: 'warning', message: `the final message is invalid: ${problem}` });
      text = repairRequest(problem, outputSchema);
    }
  }

  async #finish(end: TurnEnd): Promise<void> {
    const { directory } = this.#options;
    if (end.status !== 'completed') {
      const message = end.status === 'failed' ? end.message : 'the agent stopped in the middle of its turn';
      return this.#recorder.record({ kind: 'failed', message });
    }
    if (end.message !== undefined) await directory.writeText('last_message.json', end.message);
    this.#recorder.record({ kind: 'completed', usage: undefined });
  }
}

function repairRequest(problem: string, outputSchema: object): string {
  return [
    `Your final message is not valid: ${problem}.`,
    'Reply with the same content again, only as JSON that matches this schema, without any other text:',
    JSON.stringify(outputSchema),
  ].join('\n');
}
