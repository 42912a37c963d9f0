import { useEffect, useState } from 'preact/hooks';
import { Agenda } from './agenda.tsx';
import { CalendarImport } from './calendar-import.tsx';
import {
  type CalendarEvent,
  farthest,
  keyOf,
  loadDiary,
  notificationsOf,
  type Span,
  type User,
} from './diary.ts';
import { EventDetail } from './event-detail.tsx';
import { Outbox } from './outbox.tsx';
import { PlanPreview } from './plan-preview.tsx';
import { pathTo } from './route.ts';
import { SampleData } from './sample-data.tsx';
import { useConnection, useLoaded } from './server-connection.tsx';
import { WeekGrid } from './week-grid.tsx';
import { wallTime, weekDays } from './zone-time.ts';

/** A person's week or agenda, with what is going to be told and why. */
export function CalendarView({ name }: { name: string | undefined }) {
  const { changes } = useConnection();
  const users = useLoaded<{ users: readonly User[] }>(
    (client, signal) => client.tool('listUsers', {}, { signal }),
    [changes.resources],
  );
  if (users.error && !users.value) return <p class="problem page">{users.error.message}</p>;
  const all = users.value?.users;
  if (all === undefined) return <p class="empty">Asking the server…</p>;
  const user = all.find(({ id }) => id === name) ?? all[0];
  if (user === undefined) return <NobodyYet />;
  return (
    <div class="page wide">
      <div class="toolbar bare">
        <h1>Calendar</h1>
        {all.length > 1 && (
          <label class="inline">
            Person{' '}
            <select
              value={user.id}
              onChange={(event) => (location.hash = pathTo('calendar', event.currentTarget.value))}
            >
              {all.map(({ id, name: title }) => (
                <option key={id} value={id}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <Diary key={user.id} user={user} />
    </div>
  );
}

function Diary({ user }: { user: User }) {
  const { changes } = useConnection();
  const [weeks, setWeeks] = useState(0);
  const [mode, setMode] = useState<'week' | 'agenda'>(innerWidth < 740 ? 'agenda' : 'week');
  const [chosen, setChosen] = useState<string | undefined>();
  const [tick, setTick] = useState(0);
  useEffect(() => {
    // What is delivered changes no resource, so it is not told.
    const timer = setInterval(
      () => document.visibilityState === 'visible' && setTick((now) => now + 1),
      4000,
    );
    return () => clearInterval(timer);
  }, []);
  const span = mode === 'agenda' ? { back: 0, forward: 30 } : spanOf(weeks);
  const zone = user.timezone ?? 'UTC';
  const today = wallTime(new Date().toISOString(), zone).day;
  const { value: diary, error } = useLoaded(
    (client, signal) => loadDiary(client, user.id, span, signal),
    [user.id, span.back, span.forward, changes.resources, tick],
  );
  if (error && !diary) return <p class="problem">{error.message}</p>;
  if (!diary) return <p class="empty">Asking the server…</p>;
  const event = diary.events.find((one) => keyOf(one) === chosen);
  const choose = (one: CalendarEvent) => setChosen(keyOf(one));
  return (
    <>
      <div class="toolbar bare">
        <div class="tabs" role="tablist" aria-label="Form">
          {(['week', 'agenda'] as const).map((one) => (
            <button
              key={one}
              type="button"
              role="tab"
              aria-selected={mode === one}
              onClick={() => setMode(one)}
            >
              {one === 'week' ? 'Week' : 'Agenda'}
            </button>
          ))}
        </div>
        {mode === 'week' && (
          <span>
            <button type="button" class="small" onClick={() => setWeeks(weeks - 1)} aria-label="Earlier week">
              ‹
            </button>{' '}
            <button type="button" class="small" onClick={() => setWeeks(0)}>
              Today
            </button>{' '}
            <button type="button" class="small" onClick={() => setWeeks(weeks + 1)} aria-label="Later week">
              ›
            </button>
          </span>
        )}
        <span class="quiet">{zone}</span>
        <PlanPreview userId={user.id} />
        <CalendarImport userId={user.id} />
        <Outbox />
      </div>
      {event && (
        <EventDetail
          event={event}
          notifications={notificationsOf(diary, event)}
          zone={zone}
          close={() => setChosen(undefined)}
        />
      )}
      {mode === 'week' ? (
        <WeekGrid
          days={weekDays(today, weeks)}
          today={today}
          diary={diary}
          user={user}
          chosen={chosen}
          choose={choose}
        />
      ) : (
        <Agenda diary={diary} zone={zone} today={today} chosen={chosen} choose={choose} />
      )}
    </>
  );
}

/** What the week in sight needs, so that a full calendar is not read as a whole. */
function spanOf(weeks: number): Span {
  return {
    back: Math.min(farthest.back, Math.max(1, -weeks * 7)),
    forward: Math.min(farthest.forward, Math.max(1, (weeks + 1) * 7 + 1)),
  };
}

function NobodyYet() {
  return (
    <div class="empty">
      <p>There is nobody in the diary yet. Add somebody and their calendar:</p>
      <pre>
        adjutant users create --name "Ada" --email ada@example.com --timezone Europe/Berlin{'\n'}adjutant
        calendars import ada.ics --user USER_ID
      </pre>
      <p>
        Or look at it with a sample: <SampleData action="load" />
      </p>
    </div>
  );
}
