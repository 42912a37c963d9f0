import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ChangeButton } from '../shared/change-button.tsx';
import { useLoaded, useTicks, useUpdates } from '../shared/server-connection.tsx';
import { SidePanel } from '../shared/side-panel.tsx';
import { Tabs } from '../shared/tabs.tsx';
import { wallTime, weekDays } from '../shared/zone-time.ts';
import { Agenda } from './agenda.tsx';
import {
  type CalendarEvent,
  keyOf,
  loadCalendar,
  localeOf,
  maxSpan,
  notificationsFor,
  resourceUris,
  type Span,
  type User,
} from './calendar-data.ts';
import { CalendarImport } from './calendar-import.tsx';
import { EventDetail } from './event-detail.tsx';
import { Outbox } from './outbox.tsx';
import { PlanPreview } from './plan-preview.tsx';
import { WeekGrid } from './week-grid.tsx';
import { WeekSteps } from './week-steps.tsx';

const layouts = { week: 'Week', agenda: 'Agenda' } as const;
/** Reload interval, as a fallback in case a change notification is lost. */
const reloadMs = 60_000;

type Panel = { readonly event: string } | { readonly overflow: readonly CalendarEvent[] } | 'plan' | 'outbox';

/** A person's week or agenda, with planned notifications and the reasons for them. */
export function CalendarView({ user, children }: { user: User; children: ComponentChildren }) {
  const [weeks, setWeeks] = useState(0);
  const [layout, setLayout] = useState<keyof typeof layouts>(innerWidth < 740 ? 'agenda' : 'week');
  const [panel, setPanel] = useState<Panel | undefined>();
  const updates = useUpdates(...resourceUris(user));
  const ticks = useTicks(reloadMs);
  const span = layout === 'agenda' ? { back: 0, forward: 30 } : spanForWeek(weeks);
  const zone = user.timezone ?? 'UTC';
  const locale = localeOf(user);
  const today = wallTime(new Date().toISOString(), zone).day;
  const { value: calendar, error } = useLoaded(
    (client, signal) => loadCalendar(client, user.id, span, signal),
    [user.id, span.back, span.forward, updates, ticks],
  );
  const days = weekDays(today, weeks);
  const chosen = typeof panel === 'object' && 'event' in panel ? panel.event : undefined;
  const overflow = typeof panel === 'object' && 'overflow' in panel ? panel.overflow : undefined;
  const event = calendar?.events.find((one) => keyOf(one) === chosen);
  const choose = (one: CalendarEvent) => setPanel(keyOf(one) === chosen ? undefined : { event: keyOf(one) });
  const close = () => setPanel(undefined);
  const toggle = (one: 'plan' | 'outbox') => setPanel(panel === one ? undefined : one);
  return (
    <div class="calendar">
      <div class="toolbar">
        {children}
        <Tabs label="Layout" tabs={layouts} chosen={layout} choose={(next) => setLayout(next)} />
        {layout === 'week' && <WeekSteps days={days} weeks={weeks} go={setWeeks} />}
        <span class="quiet grow">{zone}</span>
        <ChangeButton type="button" aria-expanded={panel === 'plan'} onClick={() => toggle('plan')}>
          Plan notifications
        </ChangeButton>
        <CalendarImport userId={user.id} />
        <button type="button" aria-expanded={panel === 'outbox'} onClick={() => toggle('outbox')}>
          Outbox
        </button>
      </div>
      {error && <p class="problem box">{error.message}</p>}
      <div class={`calendar-body ${panel === undefined ? '' : 'has-panel'}`}>
        {!calendar && !error && <p class="empty">Loading…</p>}
        {calendar && layout === 'week' && (
          <WeekGrid
            {...{ days, today, calendar, user, chosen, choose }}
            showOverflow={(events) => setPanel({ overflow: events })}
          />
        )}
        {calendar && layout === 'agenda' && (
          <Agenda
            calendar={calendar}
            zone={zone}
            locale={locale}
            today={today}
            chosen={chosen}
            choose={choose}
          />
        )}
        {calendar && event && (
          <SidePanel key={chosen} title={event.title} close={close}>
            <EventDetail
              event={event}
              notifications={notificationsFor(calendar, event)}
              zone={zone}
              locale={locale}
            />
          </SidePanel>
        )}
        {overflow && (
          <SidePanel title={`${overflow.length} more at this time`} close={close}>
            <ul class="overflow-list">
              {overflow.map((one) => (
                <li key={keyOf(one)}>
                  <button type="button" class="plain" onClick={() => choose(one)}>
                    {one.title}
                  </button>
                </li>
              ))}
            </ul>
          </SidePanel>
        )}
        {panel === 'plan' && (
          <SidePanel title="Plan notifications" close={close}>
            <PlanPreview userId={user.id} zone={zone} locale={locale} done={close} />
          </SidePanel>
        )}
        {panel === 'outbox' && (
          <SidePanel title="Outbox" close={close}>
            <Outbox updates={updates} />
          </SidePanel>
        )}
      </div>
    </div>
  );
}

/** The span to load for the visible week, so that a large calendar is not loaded completely. */
function spanForWeek(weeks: number): Span {
  return {
    back: Math.min(maxSpan.back, Math.max(1, -weeks * 7)),
    forward: Math.min(maxSpan.forward, Math.max(1, (weeks + 1) * 7 + 1)),
  };
}
