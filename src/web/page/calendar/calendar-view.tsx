import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded, useTicks, useUpdates } from '../shared/server-connection.tsx';
import { SidePanel } from '../shared/side-panel.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { wallTime, weekDays } from '../shared/zone-time.ts';
import { Agenda } from './agenda.tsx';
import {
  type CalendarEvent,
  farthest,
  keyOf,
  loadCalendar,
  notificationsOf,
  resourcesOf,
  type Span,
  type User,
} from './calendar-data.ts';
import { CalendarImport } from './calendar-import.tsx';
import { EventDetail } from './event-detail.tsx';
import { Outbox } from './outbox.tsx';
import { PlanPreview } from './plan-preview.tsx';
import { WeekGrid } from './week-grid.tsx';
import { WeekSteps } from './week-steps.tsx';

const forms = { week: 'Week', agenda: 'Agenda' } as const;
/** Should the server ever not tell of a change, this is how long it goes unseen. */
const fallbackMs = 60_000;

type Beside = { readonly event: string } | { readonly crowd: readonly CalendarEvent[] } | 'plan' | 'outbox';

/** A person's week or agenda, with what is going to be told and why. */
export function CalendarView({ user, children }: { user: User; children: ComponentChildren }) {
  const [weeks, setWeeks] = useState(0);
  const [form, setForm] = useState<keyof typeof forms>(innerWidth < 740 ? 'agenda' : 'week');
  const [beside, setBeside] = useState<Beside | undefined>();
  const updates = useUpdates(...resourcesOf(user));
  const ticks = useTicks(fallbackMs);
  const span = form === 'agenda' ? { back: 0, forward: 30 } : spanOf(weeks);
  const zone = user.timezone ?? 'UTC';
  const today = wallTime(new Date().toISOString(), zone).day;
  const { value: diary, error } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, span, signal),
    [user.id, span.back, span.forward, updates, ticks],
  );
  const days = weekDays(today, weeks);
  const chosen = typeof beside === 'object' && 'event' in beside ? beside.event : undefined;
  const crowd = typeof beside === 'object' && 'crowd' in beside ? beside.crowd : undefined;
  const event = diary?.events.find((one) => keyOf(one) === chosen);
  const choose = (one: CalendarEvent) => setBeside(keyOf(one) === chosen ? undefined : { event: keyOf(one) });
  const close = () => setBeside(undefined);
  const toggle = (one: 'plan' | 'outbox') => setBeside(beside === one ? undefined : one);
  return (
    <div class="calendar">
      <div class="toolbar">
        {children}
        <Tabs label="Form" tabs={forms} chosen={form} choose={(next) => setForm(next)} />
        {form === 'week' && <WeekSteps days={days} weeks={weeks} go={setWeeks} />}
        <span class="quiet grow">{zone}</span>
        <button type="button" aria-expanded={beside === 'plan'} onClick={() => toggle('plan')}>
          Plan notifications
        </button>
        <CalendarImport userId={user.id} />
        <button type="button" aria-expanded={beside === 'outbox'} onClick={() => toggle('outbox')}>
          Outbox
        </button>
      </div>
      {error && <p class="problem box">{error.message}</p>}
      <div class={`calendar-body ${beside === undefined ? '' : 'has-panel'}`}>
        {!diary && !error && <p class="empty">Asking the server…</p>}
        {diary && form === 'week' && (
          <WeekGrid
            {...{ days, today, diary, user, chosen, choose }}
            gather={(events) => setBeside({ crowd: events })}
          />
        )}
        {diary && form === 'agenda' && (
          <Agenda diary={diary} zone={zone} today={today} chosen={chosen} choose={choose} />
        )}
        {diary && event && (
          <SidePanel key={chosen} title={event.title} close={close}>
            <EventDetail event={event} notifications={notificationsOf(diary, event)} zone={zone} />
          </SidePanel>
        )}
        {crowd && (
          <SidePanel title={`${crowd.length} more at this time`} close={close}>
            <ul class="crowd-list">
              {crowd.map((one) => (
                <li key={keyOf(one)}>
                  <button type="button" class="plain" onClick={() => choose(one)}>
                    {one.title}
                  </button>
                </li>
              ))}
            </ul>
          </SidePanel>
        )}
        {beside === 'plan' && (
          <SidePanel title="Plan notifications" close={close}>
            <PlanPreview userId={user.id} zone={zone} done={close} />
          </SidePanel>
        )}
        {beside === 'outbox' && (
          <SidePanel title="Outbox" close={close}>
            <Outbox updates={updates} />
          </SidePanel>
        )}
      </div>
    </div>
  );
}

/** What the week in sight needs, so that a full calendar is not read as a whole. */
function spanOf(weeks: number): Span {
  return {
    back: Math.min(farthest.back, Math.max(1, -weeks * 7)),
    forward: Math.min(farthest.forward, Math.max(1, (weeks + 1) * 7 + 1)),
  };
}
