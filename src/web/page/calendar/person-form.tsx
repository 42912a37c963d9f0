import { useState } from 'preact/hooks';
import { asError, useConnection } from '../shared/server-connection.tsx';

/** Puts somebody into the diary, so that there is a calendar to bring things into. */
export function PersonForm() {
  const { client, touch } = useConnection();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [timezone, setTimezone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [problem, setProblem] = useState('');
  const add = async (event: Event) => {
    event.preventDefault();
    try {
      await client.tool('createUser', { name, timezone, ...(email !== '' && { email }) });
      touch('resources');
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
        Mail address
        <input
          type="email"
          value={email}
          placeholder="ada@example.com"
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
        <small>Where reminders go. Without a mail server they land in the outbox.</small>
      </label>
      <label>
        Time zone
        <input
          required
          value={timezone}
          list="time-zones"
          spellcheck={false}
          onInput={(event) => setTimezone(event.currentTarget.value)}
        />
        <datalist id="time-zones">
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" class="primary">
        Add
      </button>
    </form>
  );
}
