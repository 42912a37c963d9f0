import { useState } from 'preact/hooks';
import { wholeList } from '../../../paging.ts';
import { Problem, TextField, useAttempt } from '../controls/fields.tsx';
import { type CalendarEvent, keyOf, localeOf, type User } from '../events/calendar-data.ts';
import { TaskButton } from '../events/event-detail.tsx';
import { type EventTimes, formatTimes, timesOf, writtenTimes } from '../events/event-times.ts';
import { TimeFields } from '../events/time-fields.tsx';
import { ChangeButton } from '../shared/buttons.tsx';
import { useConnection, useLoaded } from '../shared/server-connection.tsx';
import { useToast } from '../shared/toast.tsx';
import { wallTime } from '../shared/zone-time.ts';

interface Props {
  readonly user: User;
  readonly updates: number;
}

/** The tasks of a person by due date, and a form to add one. */
export function TaskList({ user, updates }: Props) {
  const { value, error } = useLoaded(
    (client, signal) =>
      client.tool(
        'list_events',
        { user_id: user.id, days_back: 30, days_forward: 90, ...wholeList },
        { signal },
      ),
    [user.id, updates],
  );
  if (error) return <p class="problem">{error.message}</p>;
  if (!value) return <p class="quiet">Loading…</p>;
  const tasks = value.events.filter(({ task }) => task !== undefined);
  const now = new Date().toISOString();
  const groups: readonly (readonly [string, readonly CalendarEvent[]])[] = [
    ['Overdue', tasks.filter(({ task, start_ts }) => task === 'open' && start_ts < now)],
    ['Open', tasks.filter(({ task, start_ts }) => task === 'open' && start_ts >= now)],
    ['Done', tasks.filter(({ task }) => task === 'done')],
  ];
  return (
    <>
      {tasks.length === 0 && <p class="quiet">No tasks. Tasks of calendars appear here as well.</p>}
      {groups
        .filter(([, entries]) => entries.length > 0)
        .map(([title, entries]) => (
          <section key={title}>
            <h3>{title}</h3>
            <ul class="task-list">
              {entries.map((event) => (
                <li key={keyOf(event)}>
                  <span>
                    <strong>{event.title}</strong>
                    <br />
                    <span class="quiet">
                      Due {formatTimes(timesOf(event, user.timezone ?? 'UTC'), localeOf(user))}
                    </span>
                  </span>
                  <TaskButton event={event} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      <TaskForm user={user} />
    </>
  );
}

function TaskForm({ user }: { user: User }) {
  const { client } = useConnection();
  const toast = useToast();
  const zone = user.timezone ?? 'UTC';
  const today = wallTime(new Date().toISOString(), zone).day;
  const evening = 17 * 60;
  const [times, setTimes] = useState<EventTimes>({
    ...{ allDay: false, startDay: today, endDay: today, startMinutes: evening, endMinutes: evening },
  });
  const [title, setTitle] = useState('');
  const { problem, attempt } = useAttempt();
  const add = async (submitted: Event) => {
    submitted.preventDefault();
    await attempt(async () => {
      const { start_ts } = writtenTimes(times, zone);
      const task = { user_id: user.id, title, start_ts, timezone: zone, task: 'open' as const };
      const { id: event_id } = await client.tool('create_event', task);
      const undo = () => client.tool('delete_event', { event_id });
      toast({ text: `Added “${title}”.`, undo });
      setTitle('');
    });
  };
  return (
    <form class="editor" onSubmit={add}>
      <h3>New task</h3>
      <TextField label="Task" required value={title} change={setTitle} />
      <TimeFields {...{ times }} locale={localeOf(user)} due change={setTimes} />
      <Problem text={problem} />
      <ChangeButton type="submit" class="primary">
        Add task
      </ChangeButton>
    </form>
  );
}
