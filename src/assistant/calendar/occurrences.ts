import type { Occurrences } from '../entities/occurrence.ts';

/** Expands a series when it is first needed. */
export const occurrences: Occurrences = async (event, window, zone) =>
  (await import('./expand-event.ts')).expandEvent(event, window, zone);
