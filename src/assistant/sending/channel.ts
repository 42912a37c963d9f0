import type { Finding } from '../../feature.ts';
import type { Settings, ValuesOf } from '../../setting.ts';
import type { Urgency, User } from '../../store/schema.ts';

/**
 * Everything about one notification channel. Lists, help, the settings table, doctor, the page, schemas and the policy's
 * instructions are derived from it. Its file is loaded at every start, so it imports what sending needs on first use.
 */
export interface ChannelDefinition<Own extends Settings = Settings> {
  /** Stored with notifications and preferences, so it never changes. */
  readonly name: string;
  /** Lists and escalation go through the channels in ascending order. */
  readonly rank: number;
  readonly label: string;
  /** What people call it, without spaces and hyphens. Of several channels with a word, the one that has it first is meant. */
  readonly words?: readonly string[];
  /** One character, shown in the calendar. */
  readonly icon: string;
  /** One sentence: what the channel is and how a person gets an address. */
  readonly help: string;
  readonly settings: Own;
  /** The setting without which messages go to the outbox. */
  readonly needs?: string;
  readonly address: AddressDefinition;
  /** What to do when a test message does not arrive, by reason. */
  readonly advice: {
    readonly notConfigured: string;
    readonly unreachable: string;
    readonly refused: string;
  };
  /** True if messages of low urgency arrive without a sound. In quiet hours, others wait or come by another channel. */
  readonly canBeSilent: boolean;
  /** True if buttons in messages are links to `delivery.public_url`. */
  readonly buttonsNeedUrl?: boolean;
  /** Why the worker must not start with these settings. */
  invalid?(config: ValuesOf<Own>): string | undefined;
  /** True if the receiver can come and go while a process runs, so that each message is sent by a new sender. */
  readonly connectsEachTime?: true;
  /** The sender, or undefined if settings are missing: then messages go to the outbox. */
  connect(config: ValuesOf<Own>, context: SendingContext): Sender | undefined;
  /** Writes a message to the outbox in a form of its own. Default: a JSON document. */
  toOutbox?(message: Message, config: ValuesOf<Own>, save: SaveFile): Promise<Outcome | undefined>;
  /** For `adjutant doctor`: whether the provider answers and accepts the credentials. Sends no message. */
  check?(config: ValuesOf<Own>, use: ChannelUse): Promise<readonly Finding[]>;
  /** Receives the buttons that people press, or undefined if settings are missing. */
  listen?(config: ValuesOf<Own>, answers: Answers): Listener | undefined;
}

export interface AddressDefinition {
  /** What people call it, such as `phone number`. */
  readonly noun: string;
  /** Schemes of an address in the user's list `channels`. */
  readonly schemes: readonly string[];
  /** How an address in that list looks, for help texts. */
  readonly example: string;
  /** A valid address, for tests and as a placeholder. */
  readonly sample: string;
  /** The field of the user that holds the address besides that list. */
  readonly field?: AddressField;
  /** The field that has the address of this channel as well. It is used as soon as the user asks for the channel. */
  readonly sameAs?: AddressField['name'];
  /** True if the address contains a secret: results and logs show only its scheme. */
  readonly secret?: boolean;
  /** Returns the address for sending, or undefined if it is invalid. `rest` is the part after the scheme. */
  parse(rest: string, written: string): string | undefined;
  /** False if other people also read messages at this address. They could use buttons and links, so there are none. */
  isPrivate?(address: string): boolean;
  /** True if nobody but the person reads messages at this address. Only there, a link may allow what an agent asks for. */
  mayAllow?(address: string): boolean;
}

export interface AddressField {
  readonly name: keyof User & ('email' | 'phone_e164' | 'webhook_url' | 'ntfy_topic');
  /** On the command line. Default: from the name. */
  readonly flag?: string;
  readonly input: 'email' | 'tel' | 'url' | 'text';
  readonly placeholder: string;
}

/** Keeps the literal types of the settings. */
export function defineChannel<const Own extends Settings>(
  definition: ChannelDefinition<Own>,
): ChannelDefinition<Own> {
  return definition;
}

export interface SendingContext {
  /** Hosts with private addresses that may receive messages; `*` allows all. */
  readonly privateHosts: readonly string[];
}

/** Sends messages by one channel. `deliver` reports network failures as an outcome and does not throw them. */
export interface Sender {
  deliver(message: Message, signal: AbortSignal): Promise<Outcome>;
  close?(): Promise<void>;
}

export type Senders = Readonly<Record<string, Sender>>;

/** Saves a file of the outbox. Returns undefined if `fill` resolves to false because it could not write the file. */
export type SaveFile = (
  extension: string,
  fill: (path: string) => Promise<unknown>,
) => Promise<Outcome | undefined>;

export interface ChannelUse {
  /** True if a user has an address of this channel. */
  inUse(): Promise<boolean>;
}

/** Asks the provider for the buttons that people press, so that no public address is needed. */
export interface Listener {
  /** Handles the news and waits for more up to this time. Returns the position of the next call. */
  poll(position: number, waitSeconds: number, signal: AbortSignal): Promise<number>;
  /** Removes the buttons of a message that was acknowledged elsewhere. */
  showAcknowledged(message: SentMessage, signal: AbortSignal): Promise<void>;
}

export interface SentMessage {
  readonly address: string;
  /** The receiver's id for the message. */
  readonly reference: string;
  readonly text: string;
}

/** Records the buttons that people press. */
export interface Answers {
  /** Returns the text to show, or undefined if the notification did not go to this address. */
  answer(
    notificationId: string,
    address: string,
    action: 'acknowledge' | 'done' | 'snooze',
  ): Promise<string | undefined>;
}

/** Minutes that the button for snoozing adds. */
export const snoozeMinutes = 10;

/** Content of a notification, in every form that a channel needs. */
export interface Message {
  /** Id of the notification. It is the same in every attempt, so that receivers can detect duplicates. */
  readonly id: string;
  readonly recipient: Recipient;
  readonly subject: string;
  readonly text: string;
  /** For lock screens and small displays: what, when and where in the title, and no greeting or reason. */
  readonly short: { readonly title: string; readonly text: string };
  readonly html: string;
  readonly speech: string;
  /** The event in iCalendar format. */
  readonly calendar?: string;
  readonly urgency: Urgency;
  /** The same for all messages about an occurrence, so that mail programs show them together. */
  readonly thread?: string;
  /** Where the recipient decides on what the message asks for. A POST to the second link refuses at once. */
  readonly decision?: { readonly review?: Link; readonly refuse: Link };
  /** Labels of the buttons; absent if there is nothing to confirm. With `done`, the first one completes a task. */
  readonly actions?: { readonly acknowledge: string; readonly snooze?: string; readonly done?: boolean };
  readonly sentAt: Date;
  /** Machine-readable details. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

interface Link {
  readonly label: string;
  readonly url: string;
}

/** The links with which the recipient decides, one in each line, for channels without buttons for them. */
export function decisionLines({ decision }: Pick<Message, 'decision'>): readonly string[] {
  const links = decision === undefined ? [] : [decision.review, decision.refuse];
  return links.flatMap((link) => (link === undefined ? [] : [`${link.label}: ${link.url}`]));
}

/** A user as the recipient of one channel. */
export interface Recipient {
  readonly name: string;
  readonly locale: string;
  readonly voice: string;
  /** The best address of the channel; empty if there is none. Never comes from a model or an event. */
  readonly address: string;
  /** All addresses of the channel, best first. */
  readonly addresses: readonly string[];
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
