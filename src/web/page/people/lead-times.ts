import type { User } from '../events/calendar-data.ts';

/** The kinds of events, with the built-in reminders of each. */
export const leadKinds = [
  { kind: 'default', title: 'Any event', usual: '1h' },
  { kind: 'online', title: 'Online meeting', usual: '10m' },
  { kind: 'place', title: 'Meeting at a place', usual: '30m' },
  { kind: 'all_day', title: 'All-day event', usual: '1d 17:00' },
  { kind: 'task', title: 'Task', usual: '09:00' },
  { kind: 'flight', title: 'Flight', usual: '1d, 2h' },
  { kind: 'doctor', title: 'Medical appointment', usual: '1d, 2h' },
  { kind: 'digest', title: 'Daily agenda at', usual: 'no agenda' },
] as const;

export type Leads = Readonly<Record<string, string>>;

/** The person's own lead times as text. */
export function leadsOf({ reminders = {} }: User): Leads {
  return Object.fromEntries(
    Object.entries(reminders as Record<string, readonly string[]>).map(([kind, times]) => [
      kind,
      times.length === 0 ? 'none' : times.join(', '),
    ]),
  );
}

/** The lead times for a tool. An empty text restores the built-in ones. */
export function writtenLeads(leads: Leads): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(leads).map(([kind, text]) => {
      const times = text
        .split(',')
        .map((time) => time.trim())
        .filter((time) => time !== '');
      return [kind, text.trim() === 'none' ? [] : times.length === 0 ? ['default'] : times];
    }),
  );
}
