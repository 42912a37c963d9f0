import { describe, expect, it } from 'vitest';
import { attend, type Candidate, type PersonState } from './attention.ts';

const minute = 60_000;
const day = Date.parse('2026-11-17T00:00:00Z');
const at = (time: string) => Date.parse(`2026-11-17T${time}:00Z`);
const person: PersonState = {
  timezone: 'UTC',
  limits: { messages: 6, calls: 1 },
  pauseUntilMs: null,
  pauseFromMs: null,
};

/** A reminder of an event of 45 minutes, 10 minutes before its start. */
function reminder(id: string, start: string, more: Partial<Candidate> = {}): Candidate {
  const startMs = at(start);
  return {
    ...{
      id,
      eventId: id,
      occurrence: '',
      startMs,
      endMs: startMs + 45 * minute,
      atMs: startMs - 10 * minute,
    },
    ...{ kind: undefined, important: false, recurring: false, channel: 'ntfy', origin: null },
    ...{ silent: false, sent: false, isReminder: true, leader: null, ...more },
  };
}

/** What becomes of each reminder: `sent`, `dropped`, or the leader whose message carries it. */
function outcome(candidates: readonly Candidate[], more: Partial<PersonState> = {}) {
  const verdicts = attend(candidates, { ...person, ...more });
  return Object.fromEntries(
    candidates.map(({ id }) => {
      const verdict = verdicts.get(id);
      return [id, verdict === undefined ? 'sent' : (verdict.leader ?? verdict.attention)];
    }),
  );
}

describe('the attention layer', () => {
  it('sends one message for events at the same time, on each channel', () => {
    const four = ['a', 'b', 'c', 'd'].map((id) => reminder(id, '10:00'));
    expect(outcome([...four, reminder('e', '10:00', { channel: 'email' })])).toEqual({
      ...{ a: 'sent', b: 'a', c: 'a', d: 'a', e: 'sent' },
    });
  });

  it('sends one message for the lessons of a morning, and one after a longer break', () => {
    const lessons = [
      ['maths', '08:00'],
      ['art', '08:50'],
      ['music', '09:45'],
      ['sports', '13:30'],
    ] as const;
    expect(outcome(lessons.map(([id, start]) => reminder(id, start, { kind: 'place' })))).toEqual({
      ...{ maths: 'sent', art: 'maths', music: 'maths', sports: 'sent' },
    });
  });

  it.each([
    ['of less than 15 minutes', '10:59', null, 'a'],
    ['of 15 minutes', '11:00', null, 'sent'],
    ['of less than 15 minutes before a reminder with a chosen lead time', '10:59', 'preference', 'sent'],
    ['of no length before a reminder with a chosen lead time', '10:45', 'preference', 'a'],
  ] as const)('decides about a break %s', (_, start, origin, expected) => {
    const first = reminder('a', '10:00', { origin });
    expect(outcome([first, reminder('b', start, { origin })])).toEqual({ a: 'sent', b: expected });
  });

  it('gives a flight and a meeting during a long event messages of their own', () => {
    const conference = reminder('fair', '09:00', { endMs: at('17:00') });
    const flight = reminder('flight', '17:00', { kind: 'flight' });
    expect(outcome([conference, reminder('talk', '12:00'), flight])).toEqual({
      ...{ fair: 'sent', talk: 'sent', flight: 'sent' },
    });
  });

  it('repeats nothing about an event within twenty minutes on a channel', () => {
    const half = reminder('half', '10:00', { eventId: 'e', atMs: at('09:30') });
    const quarter = reminder('quarter', '10:00', { eventId: 'e', atMs: at('09:45') });
    expect(outcome([half, quarter])).toEqual({ half: 'sent', quarter: 'dropped' });
    expect(outcome([{ ...half, sent: true }, quarter])).toEqual({ half: 'sent', quarter: 'dropped' });
    expect(outcome([half, { ...quarter, channel: 'email' }])).toEqual({ half: 'sent', quarter: 'sent' });
    // The person named the second time, so the first one is not needed.
    expect(outcome([half, { ...quarter, origin: 'event' }])).toEqual({ half: 'dropped', quarter: 'sent' });
  });

  it('keeps six messages a day, the most useful ones, and mentions others in the message before', () => {
    const hourly = Array.from({ length: 9 }, (_, index) =>
      reminder(`r${index}`, `${String(8 + index).padStart(2, '0')}:00`, {
        recurring: index % 2 === 0,
        endMs: at(`${String(8 + index).padStart(2, '0')}:30`),
      }),
    );
    const result = outcome([...hourly, reminder('doctor', '20:00', { kind: 'doctor' })]);
    expect(Object.values(result).filter((one) => one === 'sent')).toHaveLength(6);
    expect(result).toMatchObject({ doctor: 'sent', r1: 'sent', r3: 'sent', r5: 'sent', r7: 'sent' });
    expect(result['r8']).toBe('r7');
  });

  it('makes one call a day', () => {
    const calls = [
      reminder('a', '09:00', { channel: 'call' }),
      reminder('flight', '15:00', { channel: 'call', kind: 'flight' }),
    ];
    expect(outcome(calls)).toEqual({ a: 'dropped', flight: 'sent' });
  });

  it.each([
    ['a time that the person named', { origin: 'event' }],
    ['a permitted time in quiet hours', { origin: 'event-quiet' }],
    ['an alarm of the person', { origin: 'alarm' }],
    ['a reminder that was put off', { origin: 'snooze' }],
    ['an important event', { important: true }],
  ] as const)('neither merges nor drops %s', (_, exempt) => {
    const many = Array.from({ length: 9 }, (__, index) => reminder(`r${index}`, '10:00', exempt));
    const result = outcome(many, { pauseUntilMs: day + 86_400_000 });
    expect(new Set(Object.values(result))).toEqual(new Set(['sent']));
  });

  it('drops what is due during a pause', () => {
    const result = outcome([reminder('a', '09:00'), reminder('b', '15:00')], { pauseUntilMs: at('12:00') });
    expect(result).toEqual({ a: 'dropped', b: 'sent' });
  });

  it('drops nothing before a pause begins', () => {
    const all = ['09:00', '12:00', '15:00', '18:00'].map((time) =>
      reminder(time, '20:00', { atMs: at(time), eventId: time }),
    );
    const result = outcome(all, { pauseFromMs: at('12:00'), pauseUntilMs: at('18:00') });
    expect(result).toEqual({ '09:00': 'sent', '12:00': 'dropped', '15:00': 'dropped', '18:00': 'sent' });
  });

  it('puts everything that quiet hours moved into one silent message, also what the person asked for', () => {
    const moved = { atMs: at('20:59'), silent: true };
    const gym = reminder('gym', '23:30', moved);
    const run = reminder('run', '23:45', { ...moved, origin: 'event' });
    const show = reminder('show', '21:09', { atMs: at('20:59') });
    expect(outcome([gym, run, show])).toEqual({ gym: 'sent', run: 'gym', show: 'sent' });
  });

  it('keeps a reminder in the message that is already on its way, and counts sent messages', () => {
    const sent = reminder('a', '10:00', { sent: true });
    expect(outcome([sent, reminder('b', '10:00', { leader: 'a' })])).toEqual({ a: 'sent', b: 'a' });
    const full = Array.from({ length: 6 }, (_, index) => reminder(`s${index}`, '08:00', { sent: true }));
    expect(outcome([...full, reminder('late', '18:00')])).toMatchObject({ late: 'dropped' });
  });

  it('counts days in the zone of the person', () => {
    const evening = Array.from({ length: 6 }, (_, index) => reminder(`s${index}`, '22:30', { sent: true }));
    const next = reminder('next', '23:30');
    expect(outcome([...evening, next])).toMatchObject({ next: 'dropped' });
    expect(outcome([...evening, next], { timezone: 'Europe/Berlin' })).toMatchObject({ next: 'sent' });
  });
});
