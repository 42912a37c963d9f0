import { TextField } from '../events/text-field.tsx';
import { type Leads, leadKinds } from './lead-times.ts';

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
