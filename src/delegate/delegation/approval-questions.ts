import type { Context } from '../../context.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { JobLabel } from '../host/host-message.ts';
import type { AgentEvent } from '../session/agent-event.ts';
import type { RunOrder } from '../session/run-order.ts';
import { approvalForm, toAnswer } from './approval-form.ts';

const modernVersion = '2026-07-28';

/** True for clients to which the server can send a request while a call is in progress. */
function canAskNow(context: Context): boolean {
  return context.client.protocolVersion < modernVersion && context.can('elicitation');
}

/** The name under which a decision is recorded. */
export function personOf({ actor, client }: Context): string {
  return client.name === '' ? actor.name : `${actor.name} in ${client.name}`;
}

/** Asks the client that started a run about the requests of the agent, as long as its call is in progress. */
export class ApprovalQuestions {
  readonly #context: Context;
  readonly #runId: string;
  readonly #send: (runId: string, order: RunOrder) => Promise<void>;
  #isMuted: boolean;

  constructor(context: Context, runId: string, send: (runId: string, order: RunOrder) => Promise<void>) {
    this.#context = context;
    this.#runId = runId;
    this.#send = send;
    this.#isMuted = !canAskNow(context);
  }

  /** Asks nothing more, because the call has been answered. A form that is open can still be filled in. */
  mute(): void {
    this.#isMuted = true;
  }

  /** `job` is the job of an autopilot whose agent has sent the event. */
  event(event: AgentEvent, job?: JobLabel): void {
    if (event.kind !== 'approval' || event.expiresAt === undefined || this.#isMuted) return;
    void this.#ask(event, job).catch((error: unknown) => {
      log('info', `run ${this.#runId}: the client did not answer a request: ${messageOf(error)}`);
    });
  }

  async #ask({ request }: Extract<AgentEvent, { kind: 'approval' }>, job?: JobLabel): Promise<void> {
    const run = job === undefined ? this.#runId : `${this.#runId}/${job.id}`;
    const answers = await this.#context.ask({ approval: approvalForm(run, { ...request, job: job?.title }) });
    const answer = toAnswer(answers['approval'] ?? {});
    if (answer === undefined) return;
    await this.#send(run, { kind: 'answer', approval: request.id, by: personOf(this.#context), ...answer });
  }
}
