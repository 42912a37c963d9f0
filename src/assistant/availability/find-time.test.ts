import { describe, expect, it } from 'vitest';
import { compareWorld } from '../../../test/availability/compare.ts';
import { openAssistant } from '../../../test/open-assistant.ts';

const berlin = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };
const newYork = { id: 'bob', name: 'Bob', email: 'bob@example.com', timezone: 'America/New_York' };

describe('find_time', () => {
  it('finds the same times as brute force in random worlds', async () => {
    await using assistant = openAssistant();
    let proposals = 0;
    // `npm run prove -- find-time` compares more of them.
    for (let seed = 1; seed <= 30; seed++) {
      const { found, expected } = await compareWorld(assistant, seed);
      expect(found, `world ${seed}`).toEqual(expected);
      proposals += expected.length;
    }
    // Worlds without any possible time would prove nothing.
    expect(proposals).toBeGreaterThan(30);
  });

  it('respects the working hours of everybody in their own time zone', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', berlin);
    await assistant.call('create_user', newYork);
    const event = { title: 'Secret', start_ts: '2026-11-17T15:00', end_ts: '2026-11-17T16:00' };
    await assistant.call('create_event', { user_id: 'ada', ...event });
    const gone = { title: 'Gone', start_ts: '2026-12-24', show_as: 'away' };
    await assistant.call('create_event', { user_id: 'bob', ...gone });
    const request = {
      people: ['ada', 'BOB@example.com'],
      duration_minutes: 60,
      from: '2026-11-17',
      to: '2026-11-17',
    };
    const found = await assistant.call('find_time', request);
    expect(found).toEqual({
      zone: 'Europe/Berlin',
      slots: [
        {
          start_ts: '2026-11-17T15:00:00Z',
          end_ts: '2026-11-17T16:00:00Z',
          start_local: 'Tue 17 Nov 2026 16:00 Europe/Berlin, tomorrow',
          end_local: 'Tue 17 Nov 2026 17:00 Europe/Berlin, tomorrow',
          people: [
            { user_id: 'ada', state: 'free', start_local: 'Tue 17 Nov 2026 16:00 Europe/Berlin, tomorrow' },
            {
              user_id: 'bob',
              state: 'free',
              start_local: 'Tue 17 Nov 2026 10:00 America/New_York, tomorrow',
            },
          ],
        },
      ],
    });
    expect(await assistant.call('find_time', { ...request, from: 'tomorrow', to: 'tomorrow' })).toEqual(
      found,
    );
    const series = await assistant.call('find_time', {
      ...request,
      from: '2026-11-19',
      to: '2026-11-19',
      rrule: 'FREQ=WEEKLY;COUNT=10',
      count: 1,
    });
    expect(series).toMatchObject({
      slots: [{ dates: 10, missed: [{ start_local: expect.stringContaining('Thu 24 Dec 2026') }] }],
    });
    const busy = await assistant.call('find_time', { people: ['ada'] });
    const span = { start_ts: '2026-11-17T14:00:00Z', end_ts: '2026-11-17T15:00:00Z' };
    expect(busy).toMatchObject({ slots: [], people: [{ user_id: 'ada', busy: [span] }] });
    expect(JSON.stringify(busy)).not.toContain('Secret');
  });

  it('takes a range within a day as the hours', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', berlin);
    const range = { from: '2026-11-17T16:30', to: '2026-11-17T19:00' };
    expect(
      await assistant.call('find_time', { people: ['ada'], duration_minutes: 60, ...range }),
    ).toMatchObject({
      slots: [{ start_ts: '2026-11-17T15:30:00Z' }, { start_ts: '2026-11-17T16:30:00Z' }],
    });
  });

  it('says why there is no time', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', berlin);
    const fair = { title: 'x', start_ts: '2026-11-17', show_as: 'busy' };
    await assistant.call('create_event', { user_id: 'ada', ...fair });
    const day = { people: ['ada'], duration_minutes: 60, from: '2026-11-17', to: '2026-11-17' };
    expect(await assistant.call('find_time', day)).toMatchObject({
      slots: [],
      none_because: expect.stringContaining('ada is busy at 100 %'),
    });
    const night = { ...day, hours: '22:00-22:30' };
    expect(await assistant.call('find_time', night)).toMatchObject({
      none_because: expect.stringContaining('do not overlap long enough'),
    });
    await expect(assistant.call('find_time', { ...day, hours: '9-5' })).rejects.toThrow(/hours must be like/);
    await expect(assistant.call('find_time', { ...day, people: ['eve@example.com'] })).rejects.toThrow(
      /nobody is called "eve@example.com". list_users shows who is known/,
    );
  });

  it('never reports a person as free whose calendar is stale, unreadable or missing', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', berlin);
    await assistant.call('create_user', newYork);
    const { mkdtempSync, writeFileSync, rmSync } = await import('node:fs');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-stale-'));
    const source = join(folder, 'work.ics');
    const lines = ['BEGIN:VEVENT', 'UID:1', 'DTSTART:20261117T080000Z', 'END:VEVENT'];
    writeFileSync(source, ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n'));
    await assistant.call('add_calendar', { user_id: 'ada', source });
    const request = { people: ['ada', 'bob'], duration_minutes: 30 };
    const states = async () => {
      const found = (await assistant.call('find_time', request)) as unknown as {
        slots: { people: { state: string }[] }[];
        unknown: { user_id: string; reason: string }[];
      };
      return {
        states: [...new Set(found.slots.map(({ people }) => people.map(({ state }) => state).join()))],
        unknown: found.unknown.map(({ user_id, reason }) => `${user_id}: ${reason}`),
      };
    };
    const nothing = 'bob: No calendar and no event of this person is known.';
    expect(await states()).toEqual({ states: ['free,unknown'], unknown: [nothing] });
    assistant.now += 5 * 3_600_000;
    expect(await states()).toEqual({
      states: ['unknown,unknown'],
      unknown: [
        'ada: The calendar "work.ics" was last read 5 hours ago; sync_calendar reads it again.',
        nothing,
      ],
    });
    rmSync(folder, { recursive: true });
    await assistant.call('sync_calendar', { user_id: 'ada' });
    expect((await states()).unknown[0]).toMatch(
      /^ada: The calendar "work.ics" could not be read: .*work\.ics/,
    );
  });
});
