import type { ComponentChildren } from 'preact';
import { wholeList } from '../../../paging.ts';
import { useTool } from '../shared/server-connection.tsx';

/** The colours of calendars. The first one is for events that belong to none. */
const colours = ['blue', 'teal', 'violet', 'pink', 'olive', 'slate'] as const;
const own = '';

export interface CalendarColours {
  /** The calendars of the person with their colours; without a second one, nothing needs an explanation. */
  readonly calendars: readonly { readonly id: string; readonly name: string; readonly colour: string }[];
  colourOf(calendar: string | undefined): string;
}

export function useCalendarColours(userId: string, updates: number): CalendarColours {
  const { value } = useTool('list_calendars', { user_id: userId, ...wholeList }, updates);
  const known = (value?.calendars ?? []).map(({ id, name }) => ({ id, name }));
  const calendars = [{ id: own, name: 'Own events' }, ...known].map((one, index) => ({
    ...one,
    colour: `var(--cal-${colours[index % colours.length]})`,
  }));
  const byId = new Map(calendars.map(({ id, colour }) => [id, colour]));
  return { calendars, colourOf: (id = own) => byId.get(id) ?? 'var(--cal-slate)' };
}

interface LegendProps extends Pick<CalendarColours, 'calendars'> {
  readonly hidden: ReadonlySet<string>;
  toggle(id: string): void;
  /** What the calendar shows. */
  readonly children: ComponentChildren;
}

/** The calendars with their colours, which can be hidden and shown if there are several. */
export function CalendarLegend({ calendars, hidden, toggle, children }: LegendProps) {
  return (
    <div class="calendar-tools" role="group" aria-label="Calendars that are shown">
      {(calendars.length > 1 ? calendars : []).map(({ id, name, colour }) => (
        <button
          key={id}
          type="button"
          class="toggle"
          style={{ '--cal': colour }}
          aria-pressed={!hidden.has(id)}
          onClick={() => toggle(id)}
        >
          {name}
        </button>
      ))}
      <span class="quiet small only-wide">{children}</span>
    </div>
  );
}
