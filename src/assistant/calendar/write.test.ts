import { describe, expect, it } from 'vitest';
import type { CalendarEvent } from '../../store/schema.ts';
import { parseCalendar } from '../icalendar/parse.ts';
import { occurrences } from '../icalendar/recurrence.ts';
import type { Series } from '../icalendar/series.ts';
import { calendarText } from './write.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

function event(more: Partial<CalendarEvent> = {}): CalendarEvent {
  const startMs = Date.parse('2026-06-01T08:00:00Z');
  return {
    id: 'e1',
    user_id: 'u1',
    calendar_id: null,
    provider: 'local',
    provider_event_id: 'e1',
    title: 'Review',
    start_ms: startMs,
    end_ms: startMs + 3_600_000,
    all_day: 0,
    timezone: null,
    location: null,
    conf_link: null,
    organizer: null,
    attendees: null,
    description: null,
    status: 'confirmed',
    series: null,
    first_ms: startMs,
    last_ms: startMs,
    href: null,
    etag: null,
    last_seen_ms: null,
    alarms: null,
    answers: null,
    task: null,
    show_as: null,
    kind: null,
    important: 0,
    done: null,
    prompt: null,
    reminders: null,
    revision: 'r',
    created_ms: now,
    updated_ms: now,
    ...more,
  };
}

const singleMs = Date.parse('2026-06-01T08:00:00Z');

describe('calendarText', () => {
  it('escapes text that could add lines to the calendar', async () => {
    const text = await calendarText(
      event({
        title: 'Review\r\nATTENDEE:mailto:mallory@example.com\r\nEND:VEVENT',
        location: 'a\u2028BEGIN:VALARM;x,y\\',
        provider: 'cal',
        provider_event_id: 'uid\nDTSTART:19700101T000000Z',
        conf_link: 'https://meet.example/x\r\nSTATUS:CANCELLED',
      }),
      '',
      singleMs,
      'UTC',
      now,
    );
    const lines = text!.replaceAll('\r\n ', '').split('\r\n');
    expect(lines.filter((line) => /^(ATTENDEE|BEGIN:VALARM)/.test(line))).toEqual([]);
    expect(lines.filter((line) => /^(END:VEVENT|DTSTART|STATUS)/.test(line))).toEqual([
      'DTSTART:20260601T080000Z',
      'STATUS:CONFIRMED',
      'END:VEVENT',
    ]);
  });

  it('writes text that parses to the same event', async () => {
    const description = `Agenda:\n- größer als ${'sehr '.repeat(40)}lang; mit, allem\\`;
    const text = await calendarText(
      event({ description, location: 'Raum 1, Haus 2', title: '漢'.repeat(60) }),
      '',
      singleMs,
      'UTC',
      now,
    );
    expect(text!.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    const { events, problems } = await parseCalendar([{ pieces: [text!] }], { nowMs: now });
    expect(problems).toEqual([]);
    expect(events).toEqual([
      {
        uid: 'e1',
        details: { title: '漢'.repeat(60), status: 'confirmed', description, location: 'Raum 1, Haus 2' },
        series: { start: { wall: '2026-06-01T08:00:00', zone: 'UTC' }, duration: { days: 0, seconds: 3600 } },
        sequence: 0,
      },
    ]);
  });

  it("writes all-day events with the dates of the user's time zone", async () => {
    const series: Series = { start: { wall: '2026-06-01' }, duration: { days: 2, seconds: 0 } };
    const allDay = event({ all_day: 1, series: JSON.stringify(series) });
    const startMs = Date.parse('2026-05-31T22:00:00Z');
    const text = await calendarText(allDay, '', startMs, 'Europe/Berlin', now);
    expect(text).toContain('\r\nDTSTART;VALUE=DATE:20260601\r\nDTEND;VALUE=DATE:20260603\r\n');
  });

  it('identifies the occurrence of a series, and returns undefined for a deleted one', async () => {
    const series: Series = {
      start: { wall: '2026-06-01T10:00:00', zone: 'Europe/Berlin' },
      duration: { days: 0, seconds: 1800 },
      rules: ['FREQ=DAILY'],
      exceptions: [{ wall: '2026-06-03T10:00:00', zone: 'Europe/Berlin' }],
    };
    const stored = event({ provider: 'cal', provider_event_id: 'uid-1', series: JSON.stringify(series) });
    const existing = { key: '2026-06-02T08:00:00Z', startMs: Date.parse('2026-06-02T08:00:00Z') };
    const text = await calendarText(stored, existing.key, existing.startMs, 'UTC', now);
    expect(text).toContain('UID:uid-1\r\n');
    expect(text).toContain('RECURRENCE-ID:20260602T080000Z\r\nDTSTART:20260602T080000Z\r\n');
    const read = (await parseCalendar([{ pieces: [text!] }], { nowMs: now })).events[0]!;
    expect(
      occurrences(read.series, { fromMs: 0, toMs: Date.UTC(2030, 0), zone: 'UTC' }).occurrences,
    ).toMatchObject([{ recurrenceId: existing.key, startMs: existing.startMs }]);
    const deleted = { key: '2026-06-03T08:00:00Z', startMs: Date.parse('2026-06-03T08:00:00Z') };
    expect(await calendarText(stored, deleted.key, deleted.startMs, 'UTC', now)).toBeUndefined();
  });
});
