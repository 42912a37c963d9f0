import { TextField } from '../controls/fields.tsx';
import { splitList } from '../controls/words.ts';
import type { User } from '../events/calendar-data.ts';

interface Props {
  readonly kinds?: readonly (typeof leadKinds)[number][];
  readonly leads: Leads;
  change(leads: Leads): void;
}

/** One field for the lead times of each kind of event. */
export const LeadFields = ({ kinds = leadKinds, leads, change }: Props) => (
  <>
    {kinds.map(({ kind, title, usual }) => (
      <TextField
        key={kind}
        label={title}
        placeholder={usual}
        value={leads[kind] ?? ''}
        change={(text) => change({ ...leads, [kind]: text })}
      />
    ))}
  </>
);

/** The kinds of events, with the built-in reminders of each. */
export const leadKinds = [
  { kind: 'default', title: 'Any event', usual: '1h' },
  { kind: 'online', title: 'Online meeting', usual: '10m' },
  { kind: 'place', title: 'Meeting at a place', usual: '30m' },
  { kind: 'all_day', title: 'All-day event', usual: '1d 17:00' },
  { kind: 'birthday', title: 'Birthday', usual: '1d 17:00, 09:00' },
  { kind: 'task', title: 'Task', usual: '09:00' },
  { kind: 'flight', title: 'Flight', usual: '1d, 2h' },
  { kind: 'train', title: 'Train', usual: '1h' },
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
      const times = splitList(text);
      return [kind, text.trim() === 'none' ? [] : times.length === 0 ? ['default'] : times];
    }),
  );
}
