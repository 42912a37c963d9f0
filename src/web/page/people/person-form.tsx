import { TextField } from '../controls/fields.tsx';
import { ActionForm } from '../shared/actions.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { useConnection } from '../shared/server-connection.tsx';

/** The form that adds a person. Each person has a calendar. */
export function PersonForm({ added = () => {} }: { added?: (id: string) => void }) {
  const { client, invalidate } = useConnection();
  const draft = useDraft('person', '', () => ({
    ...{ name: '', email: '' },
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  }));
  const { fields, field } = draft;
  const add = async () => {
    const { name, email, timezone } = fields;
    const { id } = await client.tool('create_user', { name, timezone, ...(email !== '' && { email }) });
    const undo = async () => {
      const { events } = await client.tool('list_events', { user_id: id, limit: 1 });
      if (events.length > 0) throw new Error(`${name} has events now. Delete the person in the settings.`);
      await client.tool('delete_user', { user_id: id });
    };
    invalidate('resources');
    added(id);
    return { text: `Added ${name}.`, undo };
  };
  return (
    <ActionForm tool="create_user" action="Add person" draft={draft} submit={add}>
      <TextField label="Name" required {...field('name')} />
      <TextField
        label="Email address"
        type="email"
        {...field('email')}
        placeholder="ada@example.com"
        hint={
          <>
            Reminders are sent here. Until you set up a mail server, they go to the <dfn>outbox</dfn>, a
            folder in which you can read the messages.
          </>
        }
      />
      <ZoneInput {...field('timezone')} />
    </ActionForm>
  );
}

/** A time zone with proposals. */
export const ZoneInput = (zone: { readonly value: string; change(zone: string): void }) => (
  <TextField label="Time zone" required list="time-zones" spellcheck={false} {...zone}>
    <datalist id="time-zones">
      {Intl.supportedValuesOf('timeZone').map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  </TextField>
);
