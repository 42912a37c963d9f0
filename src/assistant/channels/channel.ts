import type { Channel as ChannelName, Urgency } from '../store/schema.ts';

/** One way to reach a person. Whatever happens on it is a result: nothing a network does is thrown. */
export interface Channel {
  deliver(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void> | void;
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

/** What is said, in the forms that the channels need. */
export interface Message {
  /** The notification's id, the same in every attempt: what makes a repetition recognisable. */
  readonly id: string;
  readonly recipient: Recipient;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly speech: string;
  /** The event as an iCalendar text. */
  readonly calendar?: string;
  readonly urgency: Urgency;
  readonly sentAt: Date;
  /** Facts for machines. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** Taken from the user's record and from nowhere else. */
export interface Recipient {
  readonly name: string;
  readonly locale: string;
  readonly voice: string;
  readonly email?: string;
  readonly phone?: string;
  readonly webhook?: string;
  readonly ntfy?: string;
}

export type Outcome =
  /** The other side has taken it; `reference` is its name for it. */
  | { readonly kind: 'accepted'; readonly reference?: string; readonly detail: string }
  /** Not now; the same may work later. */
  | { readonly kind: 'temporary'; readonly detail: string; readonly retryAfterMs?: number }
  /** Never this way. */
  | { readonly kind: 'permanent'; readonly detail: string }
  /** It was handed over and no answer came: it may have arrived. */
  | { readonly kind: 'unknown'; readonly detail: string };

export type OutcomeKind = Outcome['kind'];
