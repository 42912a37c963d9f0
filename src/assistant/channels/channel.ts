import type { Channel as ChannelName, Urgency } from '../../store/schema.ts';

/** One way to reach a person. `deliver` reports network failures as an outcome and does not throw them. */
export interface Channel {
  deliver(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void> | void;
}

export type Channels = Readonly<Record<ChannelName, Channel>>;

/** Content of a notification, in every form that a channel needs. */
export interface Message {
  /** Id of the notification. It is the same in every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  readonly recipient: Recipient;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly speech: string;
  /** The event in iCalendar format. */
  readonly calendar?: string;
  readonly urgency: Urgency;
  /** The same for all messages about an occurrence, so that mail programs show them together. */
  readonly thread?: string;
  /** Labels of the buttons; absent if there is nothing to confirm. With `done`, the first one completes a task. */
  readonly actions?: { readonly acknowledge: string; readonly snooze: string; readonly done?: boolean };
  readonly sentAt: Date;
  /** Machine-readable details. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** Addresses of a user. They come from the user's record only, never from a model or an event. */
export interface Recipient {
  readonly name: string;
  readonly locale: string;
  readonly voice: string;
  readonly email?: string;
  readonly phone?: string;
  readonly webhook?: string;
  readonly ntfy?: string;
  /** Id of the chat. */
  readonly telegram?: string;
  /** Addresses for the program apprise. They can contain secrets. */
  readonly apprise?: readonly string[];
}

export type Outcome =
  /** The receiver accepted the message; `reference` is the receiver's id for it. */
  | { readonly kind: 'accepted'; readonly reference?: string; readonly detail: string }
  /** The attempt failed, but a retry may succeed. */
  | { readonly kind: 'temporary'; readonly detail: string; readonly retryAfterMs?: number }
  /** A retry on this channel would fail as well. */
  | { readonly kind: 'permanent'; readonly detail: string }
  /** The message was sent but not confirmed, so it may have arrived. */
  | { readonly kind: 'unknown'; readonly detail: string };

export type OutcomeKind = Outcome['kind'];
