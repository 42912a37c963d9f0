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
  const { placed, clusters } = layOutWeek(events, ['2026-11-17'], 'UTC')[0]!;
  return [
    ...placed.map(
      ({ event: { id }, from, to, left, wide, pushed }) =>
        `${id} ${from}-${to} ${left}+${wide}${pushed > 0 ? ` below ${pushed}` : ''}`,
    ),
    ...clusters.map(({ events: all, from, to }) => `${all.map(({ id }) => id).join()} ${from}-${to}`),
  ];
};

describe('layOutWeek', () => {
  it('ignores events of other days and all-day events', () => {
    const other = event('other', '2026-11-16T10:00Z', '2026-11-17T00:00Z');
    const whole = event('whole', '2026-11-17T00:00Z', '2026-11-18T00:00Z', { all_day: true });
    expect(laidOut(other, whole)).toEqual([]);
  });

  it('includes the part of a long event that falls on the day', () => {
    expect(laidOut(event('long', '2026-11-05T10:00Z', '2026-11-25T00:00Z'))).toEqual(['long 0-1440 0+100']);
    expect(laidOut(event('night', '2026-11-16T22:00Z', '2026-11-17T06:00Z'))).toEqual(['night 0-360 0+100']);
  });

  it('indents an event that begins later, and gives other events the full width', () => {
    expect(laidOut(at('a', '08:00', '10:00'), at('b', '09:00', '11:00'), at('c', '12:00', '13:00'))).toEqual([
      'a 480-600 0+100',
      'b 540-660 22+78',
      'c 720-780 0+100',
    ]);
  });

  it('puts the title of the longer event below a shorter one that begins with it, or both beside each other', () => {
    expect(laidOut(at('short', '10:00', '11:00'), at('long', '10:00', '12:00'))).toEqual([
      'long 600-720 0+100 below 60',
      'short 600-660 11+89',
    ]);
    expect(laidOut(at('a', '10:00', '11:00'), at('b', '10:00', '11:00'))).toEqual([
      'a 600-660 0+50',
      'b 600-660 50+50',
    ]);
  });

  it('lists three or more events that overlap, and none of the others', () => {
    const many = Array.from({ length: 300 }, (_, index) => at(`e${index}`, '08:00', '09:00'));
    const lines = laidOut(...many, at('later', '14:00', '15:00'));
    expect(lines).toEqual(['later 840-900 0+100', `${many.map(({ id }) => id).join()} 480-540`]);
    expect(
      laidOut(at('a', '08:00', '09:00'), at('b', '08:30', '10:00'), at('c', '09:30', '11:00')),
    ).toHaveLength(3);
    expect(laidOut(at('a', '08:00', '12:00'), at('b', '09:00', '10:00'), at('c', '09:30', '11:00'))).toEqual([
      'a,b,c 480-720',
    ]);
  });
});
