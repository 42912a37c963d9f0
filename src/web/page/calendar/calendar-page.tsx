import { wholeList } from '../../../paging.ts';
import type { EarlierSearch } from '../people/find-time.tsx';
import { PersonForm } from '../people/person-form.tsx';
import { pathTo } from '../shared/route.ts';
import { SampleData } from '../shared/sample-data.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { CalendarView } from './calendar-view.tsx';

interface Props {
  readonly name: string | undefined;
  readonly earlier?: EarlierSearch | undefined;
}

/** The calendar of the selected person, or a form to add the first person. */
export function CalendarPage({ name, earlier }: Props) {
  const { changes } = useConnection();
  const { value, error } = useLoaded(
    (client, signal) => client.tool('list_users', wholeList, { signal }),
    [changes.resources],
  );
  if (error && !value) return <p class="problem page">{error.message}</p>;
  if (value === undefined) return <p class="empty">Loading…</p>;
  const all = value.users;
  const user = all.find(({ id, email }) => id === name || (name && email === name)) ?? all[0];
  if (user === undefined) return <NoPeople />;
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
    <CalendarView key={user.id} user={user} users={all} earlier={earlier}>
      <h1 class={choice ? 'hidden' : ''}>{user.name}</h1>
      {choice}
    </CalendarView>
  );
}

function NoPeople() {
  return (
    <div class="page">
      <h1>Calendar</h1>
      <p>
        Adjutant reminds people of their events by mail, phone or chat. Add a person first, for example
        yourself. Then you can create events, or import calendars from files and addresses.
      </p>
      <PersonForm />
      <p>
        Or look at it with sample data: <SampleData action="load" />
      </p>
    </div>
  );
}
