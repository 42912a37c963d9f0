import type { Actor } from './context.ts';
import type { RunEventKind } from './run-events.ts';

/**
 * How a feature reaches a person without knowing channels, addresses or quiet hours. The assistant implements it; runs and
 * routines use it.
 */
export interface Outreach {
  /**
   * Queues a message. A person gets one message per key: a second one replaces a message that waits, and is ignored if the
   * first was sent and not withdrawn. Throws a failure if there is no such person.
   */
  send(message: OutreachMessage): Promise<SentMessage>;
  /** Withdraws messages that are no longer true, to all their recipients. Those that were sent stay where they are. */
  withdraw(key: string): Promise<void>;
  /**
   * The id of the person whom the actor means by an id, a name, a mail address or `me`. Throws a failure if there is none. With
   * `creates`, the default, the owner of a new installation becomes a person.
   */
  findPerson(written: string, actor: Actor, creates?: boolean): Promise<string>;
  /** False if the person has no address, or if no process is running that sends messages to it. */
  canReach(personId: string): Promise<boolean>;
}

export interface OutreachMessage {
  /** Names the thing that the message is about, such as `run/ID/finished`. */
  readonly key: string;
  /** Id or name of a person, or `me` for the owner. */
  readonly person: string;
  /** Shown on lock screens: a fixed text without commands, differences or errors. News is worded in the person's language. */
  readonly title: string | News;
  /** What follows the title, by every channel that does not ring. Leave out what a lock screen must not show. */
  readonly text?: string;
  /** `silent` makes no sound; `important` may use every channel of the person, until it is acknowledged. Default: `normal`. */
  readonly urgency?: 'silent' | 'normal' | 'important';
  /** Quiet hours delay a message, unless it may come silently or the person asked for this moment. Default: `delay`. */
  readonly quietHours?: 'delay' | 'silent' | 'ignore';
  /** Not sent before this time (milliseconds since 1970). Default: now. */
  readonly atMs?: number;
  /** Not sent after this time (milliseconds since 1970). */
  readonly expiresMs?: number;
  /** Path of the page that shows the thing, such as `/#/runs/ID`. */
  readonly page?: string;
  /** A decision that the person can make from the message. */
  readonly decision?: OutreachDecision;
}

export interface News {
  readonly kind: RunEventKind | 'cancelled' | 'missed' | 'paused';
  /** What it happened to: a routine, or the folder of a run. */
  readonly name: string;
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

/** The requests that people decide with a link. Runs implement it. */
export interface Decisions {
  /** The request as people must see it before they decide. Undefined if it does not wait for an answer. */
  find(subject: string): Promise<DecisionRequest | undefined>;
  /** True if the person may allow requests at the moment. */
  mayAllow(person: string): Promise<boolean>;
  /** Throws a failure if the request was answered before or has expired. */
  decide(subject: string, decision: 'allow' | 'refuse', by: string): Promise<void>;
  /** Records that somebody tried to allow a request without the right to. */
  deny(subject: string, by: string): void;
}

export interface DecisionRequest {
  readonly content: string;
  readonly what: 'command' | 'files' | 'network' | 'tool' | 'permissions';
  /** In full: a command, a difference, a host, or a tool with its arguments. */
  readonly details: string;
  /** False if the request is not shown whole. */
  readonly canBeAllowed: boolean;
  readonly folder?: string;
  /** Why the agent asks, in its own words. */
  readonly reason?: string;
}
