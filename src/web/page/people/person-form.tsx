import { useState } from 'preact/hooks';
import { Problem, TextField, useAttempt } from '../controls/fields.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';

/** The form that adds a person. Each person has a calendar. */
export function PersonForm({ added = () => {} }: { added?: (id: string) => void }) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [timezone, setTimezone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { problem, attempt } = useAttempt();
  const add = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => {
      const { id } = await client.tool('create_user', { name, timezone, ...(email !== '' && { email }) });
      const undo = async () => {
        const { events } = await client.tool('list_events', { user_id: id, limit: 1 });
        if (events.length > 0) throw new Error(`${name} has events now. Delete the person in the settings.`);
        await client.tool('delete_user', { user_id: id });
      };
      toast({ text: `Added ${name}.`, undo });
      invalidate('resources');
      added(id);
    });
  };
  return (
    <form class="editor" onSubmit={add}>
      <TextField label="Name" required value={name} change={setName} />
      <TextField
        label="Email address"
        type="email"
        value={email}
        placeholder="ada@example.com"
        hint={
          <>
            Reminders are sent here. Until you set up a mail server, they go to the <dfn>outbox</dfn>, a
            folder in which you can read the messages.
          </>
        }
        change={setEmail}
      />
      <ZoneInput value={timezone} change={setTimezone} />
      <Problem text={problem} />
      <ChangeButton type="submit" class="primary">
        Add person
      </ChangeButton>
    </form>
  );
}

/** A time zone with proposals. */
export function ZoneInput({ value, change }: { value: string; change(zone: string): void }) {
  return (
    <label>
      Time zone
      <input
        required
        value={value}
        list="time-zones"
        spellcheck={false}
        onInput={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id="time-zones">
        {Intl.supportedValuesOf('timeZone').map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </label>
  );
}
