import { wholeList } from '../../../paging.ts';
import { TextField } from '../controls/fields.tsx';
import { type CalendarEvent, keyOf, localeOf, type User } from '../events/calendar-data.ts';
import { TaskButton } from '../events/event-detail.tsx';
import { type EventTimes, formatTimes, timesOf, writtenTimes } from '../events/event-times.ts';
import { TimeFields } from '../events/time-fields.tsx';
import { ActionForm } from '../shared/actions.tsx';
import { useDraft } from '../shared/drafts.tsx';
import { Pending, useConnection, useTool } from '../shared/server-connection.tsx';
import { wallTime } from '../shared/zone-time.ts';

/** The tasks of a person by due date, and a form to add one. */
export function TaskList({ user, updates }: { user: User; updates: number }) {
  const range = { user_id: user.id, days_back: 30, days_forward: 90, ...wholeList };
  const { value, error } = useTool('list_events', range, updates);
  if (!value || error) return <Pending error={error} />;
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
            <ul class="plain-list task-list">
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
  const zone = user.timezone ?? 'UTC';
  const today = wallTime(new Date().toISOString(), zone).day;
  const evening = 17 * 60;
  const draft = useDraft('task', user.id, () => ({
    title: '',
    times: {
      ...{ allDay: false, startDay: today, endDay: today, startMinutes: evening, endMinutes: evening },
    } as EventTimes,
  }));
  const { title, times } = draft.fields;
  const add = async () => {
    const { start_ts } = writtenTimes(times, zone);
    const task = { user_id: user.id, title, start_ts, timezone: zone, task: 'open' as const };
    const { id: event_id } = await client.tool('create_event', task);
    return { text: `Added “${title}”.`, undo: client.undoBy('delete_event', { event_id }) };
  };
  return (
    <ActionForm tool="create_event" action="Add task" draft={draft} submit={add}>
      <h3>New task</h3>
      <TextField label="Task" required {...draft.field('title')} />
      <TimeFields {...{ times }} locale={localeOf(user)} due change={(next) => draft.set({ times: next })} />
    </ActionForm>
  );
}
