import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { CalendarView } from './calendar-view.tsx';
import { PersonForm } from './person-form.tsx';

/** Whose calendar it is. */
export function CalendarPage({ name }: { name: string | undefined }) {
  const { changes } = useConnection();
  const { value, error } = useLoaded(
    (client, signal) => client.tool('listUsers', {}, { signal }),
    [changes.resources],
  );
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (value === undefined) return <p class="empty">Asking the server…</p>;
  const all = value.users;
  const user = all.find(({ id }) => id === name) ?? all[0];
  if (user === undefined) return <NobodyYet />;
  const choice = all.length > 1 && (
    <select
      aria-label="Person"
      value={user.id}
      onChange={(event) => (location.hash = pathTo('calendar', event.currentTarget.value))}
    >
      {all.map(({ id, name: title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  );
  return (
    <CalendarView key={user.id} user={user}>
      {choice || <h1>{user.name}</h1>}
    </CalendarView>
  );
}

function NobodyYet() {
  return (
    <div class="page">
      <h1>Calendar</h1>
      <p>
        Nobody is in the diary yet. Add somebody, then drop calendar files here; or look at it with a sample
        first: <SampleData action="load" />
      </p>
      <PersonForm />
    </div>
  );
}
