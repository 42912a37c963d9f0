import type { Actor, ActorToken, Rights } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import type { Trigger, When } from '../schedule/trigger.ts';

export const sandboxes = ['read-only', 'workspace-write', 'danger-full-access'] as const;
export type Sandbox = (typeof sandboxes)[number];
export const applyModes = ['auto', 'ask', 'branch'] as const;

/** Limits of one run and of all runs of a day. */
export interface RoutineBudget {
  readonly run?: Budget;
  readonly day?: Budget;
}
export interface Budget {
  readonly tokens?: number;
  readonly usd?: number;
  readonly minutes?: number;
}

/** The rights at the creation of a routine. It never has more, also if its creator gets more later. */
export interface Creator {
  readonly name: string;
  /** As in `identityOf`. */
  readonly identity: string;
  readonly token?: ActorToken;
  readonly rights?: Rights;
  /** What the calling thread might write, as its client sent it. */
  readonly thread?: JsonObject;
}

// A routine is *unconfirmed* → *active* ⇄ *paused*. Only an active routine fires. One that a model created is unconfirmed until a
// person confirms it. The loop pauses a routine that fails, fires too often or has lost its rights; people pause any.
export type RoutineStatus = 'unconfirmed' | 'active' | 'paused';

/** A task for a sub-agent, and when to give it. Stored as a record. */
export interface Routine {
  readonly id: string;
  readonly name: string;
  readonly task: string;
  readonly cwd: string;
  readonly when: When;
  readonly trigger: Trigger;
  /** The time zone of the creator, in which the clock of the routine runs. */
  readonly zone: string;
  /** Id of the person who is told. */
  readonly notify?: string;
  readonly agent?: string;
  readonly model?: string;
  readonly sandbox: Sandbox;
  readonly apply: (typeof applyModes)[number];
  readonly budget?: RoutineBudget;
  /** Whether the agent may ask for permission. */
  readonly asks?: boolean;
  readonly missed: 'once' | 'skip';
  readonly catchUpHours: number;
  readonly overlap: 'skip' | 'queue';
  /** The machine that has the folder, and its name for people. */
  readonly machine: string;
  readonly host: string;
  readonly creator: Creator;
  readonly status: RoutineStatus;
  /** Why it is paused. */
  readonly pauseReason?: string;
  /** True until somebody is told that the loop paused it; absent if a person paused it. */
  readonly isPauseUntold?: boolean;
  /** When the loop paused it. */
  readonly pausedMs?: number;
  /** Due times up to this one are not its own: it did not exist, was paused, or had another time. */
  readonly sinceMs: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The settings `routines.*`, and what the feature needs of its machine. */
export interface RoutineSettings {
  readonly minIntervalMs: number;
  readonly catchUpHours: number;
  readonly maxFailures: number;
  readonly maxPerHour: number;
  readonly keepMs: number;
  /** Whether messages contain errors of runs, as in `delegate.notify_details`. */
  readonly tellsErrors: boolean;
  /** Runs at the same time, as in `delegate.max_parallel`. */
  readonly maxParallel: number;
}

/** The rights that both have. */
function narrowRights(one: Rights | undefined, other: Rights | undefined): Rights | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const people =
    one.people === 'all'
      ? other.people
      : other.people === 'all'
        ? one.people
        : one.people.filter((id) => other.people.includes(id));
  const isReadOnly = one.sandbox === 'read-only' || other.sandbox === 'read-only';
  return {
    scopes: one.scopes.filter((scope) => other.scopes.includes(scope)),
    people,
    sandbox: isReadOnly ? 'read-only' : 'workspace-write',
  };
}

/** The creator with the present rights, or, if its token was revoked, with those at the creation: runs and news outlive a token. */
export function knownActor(creator: Creator, present: (creator: Creator) => Actor | undefined): Actor {
  const { name, token, rights } = creator;
  return present(creator) ?? { name, ...(token && { token }), ...(rights && { rights }) };
}

/** How an active routine changes when something other than a person pauses it. */
export function pausedBecause(
  { status }: Routine,
  pauseReason: string,
  nowMs: number,
): Partial<Routine> | undefined {
  if (status !== 'active') return undefined;
  return { status: 'paused', pauseReason, isPauseUntold: true, pausedMs: nowMs, updatedMs: nowMs };
}

/** Why a routine does not run without the rights of its creator. */
export const revoked = 'The token of its creator was revoked or has expired.';

/** Begins the reason of a pause that ends with an error. */
export const refusedRun = 'Its run was refused:';

export function tooOften({ maxPerHour }: Pick<RoutineSettings, 'maxPerHour'>): string {
  return `It was triggered more than ${maxPerHour} times in an hour.`;
}

/** Who runs the routine now: its creator with the narrowest of the rights then and now. */
export function actorOf({ creator }: Pick<Routine, 'creator'>, present: Actor): Actor {
  const rights = narrowRights(creator.rights, present.rights);
  return { ...present, ...(rights !== undefined && { rights }) };
}
