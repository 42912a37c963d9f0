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
