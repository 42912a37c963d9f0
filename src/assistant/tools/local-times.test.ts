import { expect, it } from 'vitest';
import { openAssistant } from '../../../test/open-assistant.ts';
import { localTime } from '../../recurrence/written-time.ts';

it.each([
  ['2026-11-16T08:00:20Z', 'Mon 16 Nov 2026 09:00 Europe/Berlin, now'],
  ['2026-11-16T08:45:00Z', 'Mon 16 Nov 2026 09:45 Europe/Berlin, in 45 minutes'],
  ['2026-11-16T05:00:00Z', 'Mon 16 Nov 2026 06:00 Europe/Berlin, 3 hours ago'],
  ['2026-11-17T20:00:00Z', 'Tue 17 Nov 2026 21:00 Europe/Berlin, tomorrow'],
  ['2027-03-28T01:00:00Z', 'Sun 28 Mar 2027 03:00 Europe/Berlin, in 132 days'],
])('says %s as %s', (instant, text) => {
  expect(localTime(Date.parse(instant), 'Europe/Berlin', Date.parse('2026-11-16T08:00:00Z'))).toBe(text);
});

it('adds the local time of each user to lists', async () => {
  await using assistant = openAssistant();
  await assistant.call('create_user', {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    timezone: 'Europe/Berlin',
  });
  await assistant.call('create_user', { id: 'bo', name: 'Bo', timezone: 'America/New_York' });
  for (const user_id of ['ada', 'bo'])
    await assistant.call('create_event', {
      user_id,
      id: `${user_id}-call`,
      title: 'Call',
      start_ts: '2026-11-16T18:00:00Z',
    });
  await assistant.call('create_event', { user_id: 'ada', title: 'Fair', start_ts: '2026-11-20' });
  const { events } = (await assistant.call('list_events')) as {
    events: { start_local: string; end_local?: string }[];
  };
  expect(events.map(({ start_local, end_local }) => [start_local, end_local])).toEqual([
    ['Mon 16 Nov 2026 19:00 Europe/Berlin, in 10 hours', '16 Nov 2026 20:00'],
    ['Mon 16 Nov 2026 13:00 America/New_York, in 10 hours', '16 Nov 2026 14:00'],
    ['Fri 20 Nov 2026, in 4 days', undefined],
  ]);
  await assistant.call('plan_notifications', { user_id: 'ada' });
  const { notifications } = (await assistant.call('list_notifications')) as {
    notifications: { plan_local: string }[];
  };
  expect(notifications[0]!.plan_local).toBe('Mon 16 Nov 2026 18:00 Europe/Berlin, in 9 hours');
});
