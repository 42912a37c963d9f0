import type { OutreachDecision } from '../../outreach.ts';

/** Content of a notification for every channel; stored in the `payload` column. Holds no recipient addresses. */
export interface Payload {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Text that a call reads aloud. */
  readonly script: string;
  /** The place that the message names; empty if it names none. Tells whether a later change is news. */
  readonly place?: string;
  /** The title of the event and the link to join, for short messages. */
  readonly title?: string;
  readonly allDay?: boolean;
  readonly link?: string;
  /** What short messages add, such as that the event is tentative. */
  readonly notes?: readonly string[];
  /** Start and place before a change that the user was not told about yet. */
  readonly was?: { readonly startMs: number; readonly place: string };
  /** Why the reminder is sent: the preference, the rules, or the reason of the model. */
  readonly why?: string;
  /** What the prompt says that the event names. */
  readonly prompt?: string;
  /** When it is sent, such as `10 minutes before`, as the first part of the reason. */
  readonly timing?: string;
  /** The request that the person can decide from the message. */
  readonly decision?: OutreachDecision;
  /** Path of the page that shows what the message is about. */
  readonly page?: string;
  /** What quiet hours do to the message. Default: they delay it. */
  readonly quietHours?: 'delay' | 'silent' | 'ignore';
  /** Unmodified texts of the policy, kept to compose the reminder again. */
  readonly words?: Words;
}

/** Optional texts from a policy. */
export interface Words {
  readonly subject?: string;
  readonly text?: string;
  readonly script?: string;
}

export function parsePayload(payload: string): Payload {
  return JSON.parse(payload) as Payload;
}
