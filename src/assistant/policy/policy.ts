import type { Occurrence } from '../entities/occurrence.ts';
import type { Preferences } from '../entities/preferences.ts';
import type { CalendarEvent, Channel, Notification, Rule } from '../store/schema.ts';
import type { Proposal } from './guards.ts';

export const policyNames = ['rules', 'endpoint', 'delegate', 'client'] as const;
export type PolicyName = (typeof policyNames)[number];

/** What a policy decides from. No address of anybody is part of it. */
export interface PolicyInput {
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly preferences: Preferences;
  readonly reachable: readonly Channel[];
  readonly rules: readonly Rule[];
  /** What was sent, is due or was called off. */
  readonly history: readonly Notification[];
  readonly nowMs: number;
}

export interface Decision {
  readonly policy: PolicyName;
  readonly reason: string;
  readonly proposals: readonly Proposal[];
  /** It was made in place of a policy that could not answer, so the next planning asks again. */
  readonly provisional: boolean;
}

/** Something that answers in words: an endpoint, a sub-agent or the client's own model. */
export interface Model {
  readonly name: Exclude<PolicyName, 'rules'>;
  /** What makes two decisions comparable: the address and the name of the model. */
  readonly identity: string;
  /**
   * As many answers as questions, in their order. What a model cannot do is an answer too. `answered` is told how many
   * there are so far, where they come one by one.
   */
  ask(
    questions: readonly Question[],
    signal: AbortSignal,
    answered?: (count: number) => void,
  ): Promise<readonly Answer[]>;
}

export interface Question {
  /** The same for the same question asked again. */
  readonly key: string;
  readonly system: string;
  readonly user: string;
}

export type Answer = { readonly text: string } | { readonly trouble: string };
