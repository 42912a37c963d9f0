import { useState } from 'preact/hooks';
import { Problem } from '../controls/problem.tsx';
import { ChangeButton } from '../shared/change-button.tsx';
import { asError, useConnection } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { ZoneInput } from './zone-input.tsx';

/** The form that adds a person. Each person has a calendar. */
export function PersonForm({ added = () => {} }: { added?: (id: string) => void }) {
  const { client, invalidate } = useConnection();
  const toast = useToast();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [timezone, setTimezone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [problem, setProblem] = useState('');
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      const { id } = await client.tool('create_user', { name, timezone, ...(email !== '' && { email }) });
      const undo = async () => {
        const { events } = await client.tool('list_events', { user_id: id, limit: 1 });
        if (events.length > 0) throw new Error(`${name} has events now. Delete the person in the settings.`);
        await client.tool('delete_user', { user_id: id });
        invalidate('resources');
      };
      toast({ text: `Added ${name}.`, action: { label: 'Undo', run: undo } });
      invalidate('resources');
      added(id);
    } catch (error) {
      setProblem(asError(error).message);
    }
  };
  return (
    <form class="editor" onSubmit={add}>
      <label>
        Name
        <input required value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </label>
      <label>
        Email address
        <input
          type="email"
          value={email}
          placeholder="ada@example.com"
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <small>
          Reminders are sent here. Until you set up a mail server, they go to the <dfn>outbox</dfn>, a folder
          in which you can read the messages.
        </small>
      </label>
      <ZoneInput value={timezone} change={setTimezone} />
      <Problem text={problem} />
      <ChangeButton type="submit" class="primary">
        Add person
      </ChangeButton>
    </form>
  );
}
