import type { Actor } from '../../context.ts';
import type { EventMatch } from '../schedule/trigger.ts';

/** One occurrence of an event that a routine waits for. Its texts were written by others. */
export interface MatchedEvent {
  readonly id: string;
  /** Names the occurrence of a series; empty for a single event. */
  readonly occurrence: string;
  readonly startMs: number;
  readonly endMs: number;
  /** What the task may be told: title, start, end, place, people, link, description. */
  readonly facts: Readonly<Record<string, string>>;
}

/** Finds events whose start or end is in a range, among those that the actor may see. The assistant implements it. */
export type FindEvents = (
  match: EventMatch,
  range: { readonly edge: 'start' | 'end'; readonly fromMs: number; readonly toMs: number },
  actor: Actor,
) => Promise<readonly MatchedEvent[]>;
