import { describe, expect, it } from 'vitest';
import { layOutWeek } from '../../src/web/page/calendar/week-layout.ts';
import type { CalendarEvent } from '../../src/web/page/events/calendar-data.ts';

const event = (id: string, start: string, end: string, more: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id,
  user_id: 'ada',
  title: id,
  status: 'confirmed',
  provider: 'local',
  start_ts: start,
  end_ts: end,
  ...more,
});
const at = (id: string, from: string, to: string) => event(id, `2026-11-17T${from}Z`, `2026-11-17T${to}Z`);
const laidOut = (...events: readonly CalendarEvent[]) => {
  const { placed, overflows } = layOutWeek(events, ['2026-11-17'], 'UTC')[0]!;
  return [
    ...placed.map(({ event: { id }, from, to, lane, lanes }) => `${id} ${from}-${to} ${lane}/${lanes}`),
    ...overflows.map((one) => `+${one.events.length} ${one.from}-${one.to} ${one.lane}/${one.lanes}`),
  ];
};

describe('layOutWeek', () => {
  it('ignores events of other days and all-day events', () => {
    const other = event('other', '2026-11-16T10:00Z', '2026-11-17T00:00Z');
    const whole = event('whole', '2026-11-17T00:00Z', '2026-11-18T00:00Z', { all_day: true });
    expect(laidOut(other, whole)).toEqual([]);
  });

  it('includes the part of a long event that falls on the day', () => {
    expect(laidOut(event('long', '2026-11-05T10:00Z', '2026-11-25T00:00Z'))).toEqual(['long 0-1440 0/1']);
    expect(laidOut(event('night', '2026-11-16T22:00Z', '2026-11-17T06:00Z'))).toEqual(['night 0-360 0/1']);
  });

  it('places overlapping events side by side and gives other events the full width', () => {
    expect(laidOut(at('a', '08:00', '10:00'), at('b', '09:00', '11:00'), at('c', '12:00', '13:00'))).toEqual([
      'a 480-600 0/2',
      'b 540-660 1/2',
      'c 720-780 0/1',
    ]);
  });

  it('groups events that do not fit into the lanes', () => {
    const many = Array.from({ length: 300 }, (_, index) => at(`e${index}`, '08:00', '09:00'));
    const lines = laidOut(...many, at('later', '14:00', '15:00'));
    expect(lines.slice(0, 2)).toEqual([0, 1].map((lane) => `e${lane} 480-540 ${lane}/3`));
    expect(lines.slice(2)).toEqual(['later 840-900 0/1', '+298 480-540 2/3']);
  });
});
