import type { Occurrences } from '../entities/occurrence.ts';

/** Loads the recurrence code on first use. */
export const occurrences: Occurrences = async (event, window, zone, budget) =>
  (await import('./expand-event.ts')).expandEvent(event, window, zone, budget);
