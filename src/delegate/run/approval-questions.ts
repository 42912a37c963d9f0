import type { Context } from '../../context.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { AgentEvent } from '../agents/protocols/agent-event.ts';
import type { ApprovalAnswer, ApprovalRequest, RunOrder } from '../agents/protocols/approval.ts';
import { approvalForm, toAnswer } from './approval-form.ts';
import type { RecordDecision } from './delegate-options.ts';
import type { JobLabel } from './host-message.ts';

const modernVersion = '2026-07-28';

/** True for clients to which the server can send a request while a call is in progress. */
function canAskNow(context: Context): boolean {
  return context.client.protocolVersion < modernVersion && context.can('elicitation');
}

/** The name under which a decision is recorded. */
export function personOf({ actor, client }: Context): string {
  return client.name === '' ? actor.name : `${actor.name} in ${client.name}`;
}

/** Sends the answer of a form to the agent. */
export function sendAnswer(
  context: Context,
  run: string,
  approval: string,
  answer: ApprovalAnswer,
  send: (run: string, order: RunOrder) => Promise<void>,
  record: RecordDecision = (_, __, work) => work(),
): Promise<void> {
  const { decision } = answer;
  return record(context, { run_id: run, approval_id: approval, decision }, () =>
    send(run, { kind: 'answer', approval, by: personOf(context), ...answer }),
  );
}

/** Asks the client that started a run about the requests of the agent, as long as its call is in progress. */
export class ApprovalQuestions {
  readonly #context: Context;
  readonly #runId: string;
  readonly #send: (runId: string, order: RunOrder) => Promise<void>;
  readonly #record: RecordDecision | undefined;
  /** The forms that are open in the client, by the ids of run and request. */
  readonly #forms = new Map<string, AbortController>();
  #isMuted: boolean;

  constructor(
    context: Context,
    runId: string,
    send: (runId: string, order: RunOrder) => Promise<void>,
    record: RecordDecision | undefined,
  ) {
    this.#context = context;
    this.#runId = runId;
    this.#send = send;
    this.#record = record;
    this.#isMuted = !canAskNow(context);
  }

  /** Asks nothing more, because the call has been answered. A form that is open can still be filled in. */
  mute(): void {
    this.#isMuted = true;
  }

  /** Closes the forms that are still open, because the run has ended. */
  withdrawAll(): void {
    for (const form of this.#forms.values()) form.abort(new Error('The run has ended.'));
  }

  /** `job` is the job of an autopilot whose agent has sent the event. */
  event(event: AgentEvent, job?: JobLabel): void {
    const run = job === undefined ? this.#runId : `${this.#runId}/${job.id}`;
    // A rule, another client or the time limit may have answered.
    if (event.kind === 'answered')
      this.#forms.get(`${run} ${event.id}`)?.abort(new Error(`Answered by ${event.by}.`));
    if (event.kind !== 'approval' || event.expiresAt === undefined || this.#isMuted) return;
    void this.#ask(run, event.request, job?.title).catch((error: unknown) => {
      log('info', `run ${this.#runId}: the client did not answer a request: ${messageOf(error)}`);
    });
  }

  async #ask(run: string, request: ApprovalRequest, job: string | undefined): Promise<void> {
    const key = `${run} ${request.id}`;
    const form = new AbortController();
    this.#forms.set(key, form);
    try {
      const forms = { approval: approvalForm(run, { ...request, job }) };
      const answers = await this.#context.ask(forms, form.signal);
      const answer = toAnswer(answers['approval'] ?? {});
      if (answer === undefined) return;
      await sendAnswer(this.#context, run, request.id, answer, this.#send, this.#record);
    } finally {
      this.#forms.delete(key);
    }
  }
}
