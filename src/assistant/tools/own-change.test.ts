import { beforeEach, expect, it } from 'vitest';
import { runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import type { JsonObject } from '../../json.ts';

let assistant: TestAssistant;

/** Ada, who makes the changes, and Ben have lunch today, less than a day away. */
beforeEach(async () => {
  assistant = openAssistant({ plansOnWrite: true, me: { id: 'ada', file: '' } });
  for (const [id, name] of Object.entries({ ada: 'Ada', ben: 'Ben' }))
    await assistant.call('create_user', { id, name, email: `${id}@example.com`, timezone: 'Europe/Berlin' });
  return async () => assistant[Symbol.asyncDispose]();
});

async function lunchOf(user_id: string, attendees: readonly string[]): Promise<void> {
  const lunch = { id: 'lunch', title: 'Lunch', start_ts: '2026-11-16T14:00' };
  await assistant.call('create_event', { user_id, ...lunch, attendees: [...attendees] });
  for (const guest of attendees) {
    const { events } = await assistant.call('list_events', { user_id: guest });
    const [{ id: event_id }] = events as [{ id: string }];
    await assistant.call('answer_invitation', { event_id, answer: 'accepted' });
    await assistant.call('plan_notifications', { user_id: guest });
  }
  assistant.now += 11 * 60_000;
}

const later = { event_id: 'lunch', start_ts: '2026-11-16T16:00' };
async function queued(): Promise<readonly unknown[]> {
  const { notifications } = await assistant.call('list_notifications', { status: 'planned' });
  return (notifications as JsonObject[])
    .filter(({ change }) => change !== undefined)
    .map(({ user_id, change }) => [user_id, change]);
}

it('my own change › others get a message and I get none, also after planning again', async () => {
  await lunchOf('ada', ['ben']);
  const { planned } = await assistant.call('update_event', later);
  expect((planned as JsonObject[]).filter(({ change }) => change !== undefined)).toEqual([
    expect.objectContaining({ user_id: 'ben', change: 'moved', channel: 'email' }),
  ]);
  await assistant.call('plan_notifications', { user_id: 'ada' });
  await assistant.call('update_event', { event_id: 'lunch', title: 'Long lunch' });
  expect(await queued()).toEqual([['ben', 'moved']]);
  const sent = await runWorkerUntil(assistant, Date.parse('2026-11-16T12:00:00Z'));
  expect(sent.filter((text) => text.startsWith('Moved'))).toHaveLength(1);
});

it('my own deletion › others get a message and I get none', async () => {
  await lunchOf('ada', ['ben']);
  await assistant.call('delete_event', { event_id: 'lunch' });
  expect(await queued()).toEqual([['ben', 'cancelled']]);
});

it('my change of the event of another person › that person gets a message and I get none', async () => {
  await lunchOf('ben', ['ada']);
  const { planned } = await assistant.call('update_event', later);
  expect(await queued()).toEqual([['ben', 'moved']]);
  expect(planned).toContainEqual(expect.objectContaining({ user_id: 'ben', change: 'moved' }));
});

it('preview_messages › has no message to me about my own change', async () => {
  await lunchOf('ada', []);
  expect(await assistant.call('preview_messages', later)).toEqual({
    messages: [],
    none_because: expect.stringContaining('your own change'),
  });
});
