import { Failure } from '../../../failure.ts';
import type { AgentEvent } from './agent-event.ts';
import {
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalRequest,
  type PendingApproval,
  shownRequest,
} from './approval.ts';
import { type ApprovalRule, decideByRules, ruleText } from './approval-rules.ts';

export interface ApprovalOptions {
  readonly rules: readonly ApprovalRule[];
  readonly timeoutMs: number;
}

interface Waiting {
  readonly pending: PendingApproval;
  readonly timer: NodeJS.Timeout;
}

/** Answers each request for permission exactly once: by a rule, by a person, or with a refusal after the time limit. */
export class PendingApprovals {
  readonly #options: ApprovalOptions;
  readonly #record: (event: AgentEvent) => void;
  readonly #answer: (id: string, answer: ApprovalAnswer) => Promise<void>;
  readonly #onChange: (pending: readonly PendingApproval[]) => void;
  readonly #waiting = new Map<string, Waiting>();
  readonly #answered = new Map<string, string>();

  constructor(
    options: ApprovalOptions,
    handlers: {
      readonly record: (event: AgentEvent) => void;
      readonly answer: (id: string, answer: ApprovalAnswer) => Promise<void>;
      readonly onChange: (pending: readonly PendingApproval[]) => void;
    },
  ) {
    this.#options = options;
    this.#record = handlers.record;
    this.#answer = handlers.answer;
    this.#onChange = handlers.onChange;
  }

  /** Records a request, and answers it or waits for a person. */
  ask(request: ApprovalRequest): void {
    const { rules, timeoutMs } = this.#options;
    const rule = decideByRules(request, rules);
    if (rule.verdict !== 'ask') {
      this.#record({ kind: 'approval', request: shownRequest(request) });
      const decision = rule.verdict === 'allow' ? 'allow_once' : 'refuse';
      return this.#settle(request.id, { decision }, `the rule "${ruleText(rule)}"`);
    }
    const now = Date.now();
    const expires = new Date(now + timeoutMs).toISOString();
    const shown = shownRequest(request);
    const pending = {
      ...shown,
      asked_at: new Date(now).toISOString(),
      expires_at: expires,
    };
    this.#waiting.set(request.id, { pending, timer: setTimeout(() => this.#expire(request.id), timeoutMs) });
    this.#report();
    this.#record({ kind: 'approval', request: shown, expiresAt: expires });
  }

  /** The answer of a person. Fails if the request does not offer it, was answered before or has expired. */
  answer(id: string, answer: ApprovalAnswer, by: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined) {
      const { expires_at: expires, decisions } = waiting.pending;
      // Timers stand still while the machine sleeps, so the clock decides.
      if (Date.now() < Date.parse(expires)) {
        demandOffered(id, answer, decisions);
        return this.#settle(id, answer, by);
      }
      throw new Failure(
        'refused',
        `Request "${id}" expired at ${expires} and was refused, because ${this.#expire(id)}. The agent can ask again.`,
      );
    }
    const earlier = this.#answered.get(id);
    throw new Failure(
      'refused',
      earlier === undefined
        ? `There is no request "${id}" in this run.`
        : `Request "${id}" was already answered by ${earlier}.`,
    );
  }

  /** Refuses what is still open, e.g. because the turn was interrupted. */
  refuseAll(reason: string): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { decision: 'refuse' }, reason);
  }

  /** Refuses a request that nobody has answered in time. Returns the reason. */
  #expire(id: string): string {
    const reason = `nobody answered within ${this.#options.timeoutMs / 1000} s`;
    this.#settle(id, { decision: 'refuse', reason }, 'the time limit');
    return reason;
  }

  #settle(id: string, answer: ApprovalAnswer, by: string): void {
    clearTimeout(this.#waiting.get(id)?.timer);
    const wasWaiting = this.#waiting.delete(id);
    this.#answered.set(id, by);
    const { decision, reason } = answer;
    this.#record({ kind: 'answered', id, decision, by, ...(reason !== undefined && { reason }) });
    if (wasWaiting) this.#report();
    // An agent that has exited needs no answer.
    this.#answer(id, answer).catch(() => {});
  }

  #report(): void {
    this.#onChange([...this.#waiting.values()].map(({ pending }) => pending));
  }
}

function demandOffered(id: string, { decision }: ApprovalAnswer, offered: readonly ApprovalDecision[]): void {
  if (decision === 'refuse' || offered.includes(decision)) return;
  const isWhole = offered.includes('allow_once');
  throw new Failure(
    'refused',
    isWhole
      ? `Request "${id}" takes only these answers: ${offered.join(', ')}.`
      : `Request "${id}" can only be refused, because it is not shown whole.`,
  );
}
