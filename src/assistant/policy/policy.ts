import type { CalendarEvent, Channel, Notification, Rule } from '../../store/schema.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import type { Preferences } from '../entities/preferences.ts';
import type { Proposal } from './guards.ts';

export const policyNames = ['rules', 'endpoint', 'delegate', 'client'] as const;
export type PolicyName = (typeof policyNames)[number];

/** Input of a policy. It contains no addresses of the user. */
export interface PolicyInput {
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly preferences: Preferences;
  readonly reachable: readonly Channel[];
  readonly rules: readonly Rule[];
  /** Notifications of this occurrence that were sent, are due or were cancelled. */
  readonly history: readonly Notification[];
  readonly nowMs: number;
}

export interface Decision {
  /** `preference` if the user asked for the reminders, so that no policy had to decide. */
  readonly policy: PolicyName | 'preference';
  readonly reason: string;
  /** The reason in the user's language, for the message. Absent if it is the same. */
  readonly why?: string;
  readonly proposals: readonly Proposal[];
  /** True if the rules decided because the policy gave no answer. The next planning run asks the policy again. */
  readonly provisional: boolean;
}

/** A language model: behind an endpoint, in a sub-agent, or the client's own. */
export interface Model {
  readonly name: Exclude<PolicyName, 'rules'>;
  /** Identifies the model. A change of model makes planning decide again. */
  readonly identity: string;
  /**
   * Returns one answer per question, in order; a failure is an answer with `error`. Calls `answered` with the number of
   * answers so far if they arrive one by one.
   */
  ask(
    questions: readonly Question[],
    signal: AbortSignal,
    answered?: (count: number) => void,
  ): Promise<readonly Answer[]>;
}

export interface Question {
  /** Stays the same when the same question is asked again. */
  readonly key: string;
  readonly system: string;
  readonly user: string;
}

export type Answer = { readonly text: string } | { readonly error: string };
