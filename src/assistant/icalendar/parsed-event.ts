import type { Instance } from './event-reader.ts';
import type { EventDetails, Observance, Override, Series } from './series.ts';

/** One UID of a calendar: a single event, or a series with its overrides. */
export interface ParsedEvent {
  readonly uid: string;
  readonly details: EventDetails;
  readonly series: Series;
  /** Version number of the event (SEQUENCE). */
  readonly sequence: number;
  /** Name of the document that contained the event, if the calendar has several. */
  readonly document?: string;
}

/** Combines all instances of one UID. Calls `replaced` with the number of instances dropped for newer ones. */
export function assembleEvent(
  uid: string,
  instances: readonly Instance[],
  replaced: (count: number) => void,
): ParsedEvent {
  const masters = instances.filter(({ id }) => id === undefined);
  const byId = Map.groupBy(
    instances.filter(({ id }) => id !== undefined),
    ({ id }) => `${id!.wall} ${id!.zone ?? ''}`,
  );
  const changed = [...byId.values()].map(newest);
  if (masters.length > 1) replaced(masters.length - 1);
  const master = masters.length > 0 ? newest(masters) : undefined;
  const base = master ?? changed.find(({ details }) => details.status !== 'cancelled') ?? changed[0]!;
  const own: Record<string, readonly Observance[]> = {};
  for (const { zones } of [...changed, base]) Object.assign(own, zones);
  const lists = {
    rules: master?.rules,
    exceptionRules: master?.exceptionRules,
    dates: master?.dates,
    exceptions: master?.exceptions,
    overrides: changed.map(toOverride),
  };
  const filled = Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0);
  return {
    uid,
    details: base.details,
    sequence: base.sequence,
    ...(base.document !== undefined && { document: base.document }),
    series: {
      start: base.start,
      duration: base.duration,
      ...(Object.fromEntries(filled) as Partial<Series>),
      ...(master === undefined && { detached: true }),
      ...(Object.keys(own).length > 0 && { zones: own }),
    },
  };
}

function toOverride({ id, andFollowing, start, duration, details }: Instance): Override {
  return { id: id!, ...(andFollowing && { andFollowing }), start, duration, details };
}

function newest(versions: readonly Instance[]): Instance {
  return versions.reduce((best, next) =>
    next.sequence > best.sequence || (next.sequence === best.sequence && next.stamp >= best.stamp)
      ? next
      : best,
  );
}
