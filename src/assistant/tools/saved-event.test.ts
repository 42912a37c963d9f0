import { beforeEach, expect, it } from 'vitest';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

let assistant: TestAssistant;

beforeEach(async () => {
  assistant = openAssistant({ plansOnWrite: true });
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' },
  });
  return async () => assistant[Symbol.asyncDispose]();
});

const create = (id: string, start_ts: string, more: JsonObject = {}) =>
  assistant.call('create_event', { user_id: 'ada', id, title: id, start_ts, ...more });

it('planned › a merged reminder has the time and the subject of the message that carries it', async () => {
  const first = await create('first', '2026-11-17T14:00');
  const [alone] = first['planned'] as JsonObject[];
  expect(alone).not.toHaveProperty('merged_into');
  const second = await create('second', '2026-11-17T15:00');
  const { notifications } = await assistant.call('list_notifications');
  const [leader, merged] = notifications as JsonObject[];
  expect(merged).toMatchObject({ event_id: 'second', merged_into: leader!['id'] });
  expect(second['planned']).toEqual([
    { ...alone, merged_into: leader!['id'], in_message: leader!['subject'] },
  ]);
});

it('conflicts › the answer counts those that are not listed', async () => {
  for (let index = 0; index < 12; index++) await create(`e${index}`, '2026-11-17T14:00');
  const answer = await create('last', '2026-11-17T14:30');
  expect(answer['conflicts']).toHaveLength(10);
  expect(answer['omitted']).toEqual({ conflicts: 2 });
  const moved = await assistant.call('update_event', { event_id: 'e0', start_ts: '2026-11-17T14:10' });
  expect(moved['omitted']).toEqual({ conflicts: 2 });
  expect(await create('free', '2026-11-18T14:00')).not.toHaveProperty('omitted');
});

it('planned › a series whose next date is beyond the planning horizon says so', async () => {
  const birthday = await create('birthday', '1990-05-04', { rrule: 'FREQ=YEARLY' });
  const because = 'the next date is on Tue 4 May 2027, in 169 days, and reminders are planned 30 days ahead';
  expect(birthday).toMatchObject({
    planned: [],
    warnings: [expect.stringContaining(`No reminder is planned: ${because}.`)],
  });
  const plan = (more: JsonObject = {}) => assistant.call('plan_notifications', { user_id: 'ada', ...more });
  expect(await plan({ event_id: 'birthday' })).toMatchObject({
    events_processed: 0,
    note: `Nothing is planned: ${because}.`,
  });
  expect((await plan())['note']).toContain('the next event, "birthday", is on Tue 4 May 2027');
  await create('soon', '2026-11-17T14:00');
  expect(await plan()).toMatchObject({ events_processed: 0, note: expect.stringContaining('force_replan') });
  expect(await plan({ force_replan: true })).not.toHaveProperty('note');
});
