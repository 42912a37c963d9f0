/**
 * How a feature reaches a person without knowing channels, addresses or quiet hours. The assistant implements it; runs and
 * routines use it.
 */
export interface Outreach {
  /**
   * Queues a message. A second message with the same key replaces one that waits and is not sent again if the first was sent.
   * Throws a failure if there is no such person.
   */
  send(message: OutreachMessage): Promise<SentMessage>;
  /** Withdraws messages that are no longer true. Those that were sent stay where they are. */
  withdraw(key: string): Promise<void>;
}

export interface OutreachMessage {
  /** Names the thing that the message is about, such as `run/ID/finished`. */
  readonly key: string;
  /** Id or name of a person, or `me`. */
  readonly person: string;
  /** Shown on lock screens: a fixed text without commands, differences or errors. */
  readonly title: string;
  /** Details, for channels and people that may show them. */
  readonly text?: string;
  /** `silent` makes no sound; `important` may use every channel of the person. Default: `normal`. */
  readonly urgency?: 'silent' | 'normal' | 'important';
  /** Quiet hours delay a message, unless the person asked for this moment. Default: `delay`. */
  readonly quietHours?: 'delay' | 'silent' | 'ignore';
  /** Not sent after this time (milliseconds since 1970). */
  readonly expiresMs?: number;
  /** Path of the page that shows the thing, such as `/runs/ID`. */
  readonly page?: string;
  /** A decision that the person can make from the message. */
  readonly decision?: OutreachDecision;
}

/** Links in the message decide. A channel that others may read carries only the link that refuses. */
export interface OutreachDecision {
  /** The request that is decided, such as `run/ID/approval/ID`. */
  readonly subject: string;
  /** Hash of what is decided, so that a link never allows something else. */
  readonly content: string;
  /** False if the person may only refuse. */
  readonly mayAllow: boolean;
}

export interface SentMessage {
  /** Id of the person. */
  readonly person: string;
  readonly channel: string;
  /** When the message is due (milliseconds since 1970). */
  readonly dueMs: number;
  /** What may keep the message from arriving, such as a missing address or no running worker. */
  readonly warnings: readonly string[];
}
