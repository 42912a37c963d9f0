import type { ToolAnswer } from '../../../api.ts';
import { wholeList } from '../../../paging.ts';
import { type Loaded, useConnection, useLoaded } from '../shared/server-connection.tsx';
import { shortTime } from '../shared/zone-time.ts';

/** All routines. Nothing for those who may not see them. */
export function useRoutines(ticks: number): Loaded<ToolAnswer<'list_routines'> | undefined> {
  const { changes, mayCall } = useConnection();
  const may = mayCall('list_routines');
  return useLoaded(
    async (client, signal) => (may ? client.tool('list_routines', wholeList, { signal }) : undefined),
    [changes.resources, ticks, may],
  );
}

export type Routine = ToolAnswer<'list_routines'>['routines'][number];

/** How the state of a due time is called. */
export const firingTexts = {
  due: 'due',
  starting: 'starts',
  running: 'in progress since',
  completed: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const;

/** When a routine is due, in words. */
export function whenText({ when }: Pick<Routine, 'when'>): string {
  if (typeof when === 'string') return when;
  const { before, after, match = {} } = when;
  const matches = Object.entries(match).map(([key, value]) => `${key} “${value}”`);
  const events = matches.length === 0 ? 'every event' : `events with ${matches.join(' and ')}`;
  return before === undefined ? `${after ?? ''} after ${events}` : `${before} before ${events}`;
}

/** The next due time of a routine, or why it has none. */
export function nextText({ status, next_due: [next] = [] }: Routine): string {
  if (status === 'unconfirmed') return 'Waits for you';
  if (status === 'paused') return 'paused';
  return next === undefined ? '' : shortTime(next);
}
