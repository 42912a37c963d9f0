import { Failure } from '../../failure.ts';
import type { DecisionRequest, Decisions } from '../../outreach.ts';
import {
  type AnswerLink,
  consumeAnswerLink,
  type Decided,
  findAnswerLink,
} from '../../store/answer-links.ts';
import type { User } from '../../store/schema.ts';
import { type AssistantData, rowOf } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';

/** What the page behind a link shows. */
export type DecisionState =
  | { readonly kind: 'unknown' }
  /** Answered, also by somebody else, or expired; `outcome` if it was decided with this link. */
  | { readonly kind: 'over'; readonly outcome?: Decided }
  | { readonly kind: 'open'; readonly request: DecisionRequest; readonly mayAllow: boolean };

export interface OpenedLink {
  readonly locale: string;
  readonly state: DecisionState;
}

interface FoundLink {
  readonly link: AnswerLink;
  readonly user: User;
}

/**
 * Decides requests with the links of messages. A link works for one person, one request with its content, and one decision.
 * Looking changes nothing; only a decision that matches consumes the link, so nobody can block a request by guessing.
 */
export class DecisionLinks {
  readonly #data: AssistantData;
  readonly #decisions: Decisions;
  /** The last decision of each request, so that a double tap waits for the first tap. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(data: AssistantData, decisions: Decisions) {
    this.#data = data;
    this.#decisions = decisions;
  }

  async open(token: string): Promise<OpenedLink> {
    return this.#stateOf(await this.#find(token));
  }

  /** Returns what the page shows afterwards. Throws a failure if the person may not decide like this. */
  async decide(token: string, decision: Decided): Promise<OpenedLink> {
    const subject = (await this.#find(token))?.link.subject ?? '';
    const before = this.#queues.get(subject) ?? Promise.resolve();
    const own = before.then(() => this.#decide(token, decision));
    const settled = own.catch(() => {});
    this.#queues.set(subject, settled);
    try {
      return await own;
    } finally {
      if (this.#queues.get(subject) === settled) this.#queues.delete(subject);
    }
  }

  async #decide(token: string, decision: Decided): Promise<OpenedLink> {
    const found = await this.#find(token);
    const opened = await this.#stateOf(found);
    if (found === undefined || opened.state.kind !== 'open') return opened;
    const { link, user } = found;
    const by = `${user.id}, by a link`;
    if (decision === 'allow' && !opened.state.mayAllow) {
      this.#decisions.deny(link.subject, by);
      throw new Failure('refused', 'The person may only refuse.');
    }
    try {
      await this.#decisions.decide(link.subject, decision, by);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'unavailable') throw error;
      return { ...opened, state: { kind: 'over' } };
    }
    await consumeAnswerLink(this.#data.store, token, decision);
    return { ...opened, state: { kind: 'over', outcome: decision } };
  }

  async #find(token: string): Promise<FoundLink | undefined> {
    const { store, clock } = this.#data;
    const link = await findAnswerLink(store, token, clock());
    if (link?.decision === undefined) return undefined;
    const user = await store.read((db) => rowOf(db, 'users', link.userId));
    return user && { link, user };
  }

  async #stateOf(found: FoundLink | undefined): Promise<OpenedLink> {
    if (found === undefined) return { locale: 'en', state: { kind: 'unknown' } };
    const { locale } = preferencesOf(found.user);
    const { subject, userId, decision } = found.link;
    const { content, atMost, outcome } = decision!;
    if (outcome !== undefined) return { locale, state: { kind: 'over', outcome } };
    const request = await this.#decisions.find(subject);
    if (request === undefined || request.content !== content) return { locale, state: { kind: 'over' } };
    const mayAllow = atMost === 'allow' && request.canBeAllowed && (await this.#decisions.mayAllow(userId));
    return { locale, state: { kind: 'open', request, mayAllow } };
  }
}
