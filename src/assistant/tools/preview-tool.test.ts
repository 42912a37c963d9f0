import { expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';

interface Preview {
  readonly messages: readonly {
    readonly subject: string;
    readonly text: string;
    readonly channel?: string;
  }[];
  readonly none_because?: string;
}

const at = (time: string) => Date.parse(`2026-11-17T${time}:00+01:00`);
const preview = (assistant: TestAssistant, args: Readonly<Record<string, string>>) =>
  assistant.call('preview_messages', args) as unknown as Promise<Preview>;
const mailOf = ({ messages: [message] }: Preview) => `${message?.subject}\n${message?.text}`.trim();

/** Ada has a haircut on Tuesday at 14:00, and gets an agenda at 7:30. */
async function open(): Promise<TestAssistant> {
  const assistant = openAssistant();
  const person = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };
  await assistant.call('create_user', { ...person, reminders: { digest: ['07:30'] } });
  await assistant.call('create_event', {
    ...{ user_id: 'ada', id: 'haircut', title: 'Haircut', start_ts: '2026-11-17T14:00' },
  });
  await assistant.call('plan_notifications', { user_id: 'ada' });
  return assistant;
}

it('shows the messages that are sent, word for word', async () => {
  await using assistant = await open();
  const agenda = await preview(assistant, { user_id: 'ada', day: '2026-11-17' });
  const { notifications } = await assistant.call('list_notifications', { days_forward: 3 });
  const { id } = (notifications as { id: string; event_id: string }[]).find(
    ({ event_id }) => event_id !== '',
  )!;
  const reminder = await preview(assistant, { notification_id: id });
  const [digest, reminded] = await runWorkerUntil(assistant, at('13:05'));
  expect(digest!.trim()).toBe(mailOf(agenda));
  expect(reminded!.trim()).toBe(mailOf(reminder));
  const moved = await preview(assistant, { event_id: 'haircut', start_ts: '2026-11-17T16:00' });
  expect(await preview(assistant, { event_id: 'haircut', start_ts: 'today 16:00' })).toEqual(moved);
  const deleted = await preview(assistant, { event_id: 'haircut' });
  expect(deleted.messages[0]!.subject).toMatch(/^Cancelled: Haircut/);
  await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-17T16:00' });
  const [notice] = await runWorker(assistant, assistant.now + 61_000);
  expect(notice!.trim()).toBe(mailOf(moved));
});

it('says why there is no message, and changes nothing', async () => {
  await using assistant = await open();
  const before = await assistant.call('list_notifications', { days_forward: 30 });
  expect(await preview(assistant, { user_id: 'ada', day: '2026-11-20' })).toMatchObject({
    messages: [],
    none_because: expect.stringContaining('Nothing is on this day'),
  });
  await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-27T14:00' });
  expect(await preview(assistant, { event_id: 'haircut', start_ts: '2026-11-28T14:00' })).toMatchObject({
    messages: [],
    none_because: 'No reminder of it was sent, and none is due within a day.',
  });
  await assistant.call('update_event', { event_id: 'haircut', start_ts: '2026-11-17T14:00' });
  await assistant.call('plan_notifications', { user_id: 'ada' });
  const after = await assistant.call('list_notifications', { days_forward: 30, status: 'planned' });
  expect(after['count']).toBe(before['count']);
  await expect(preview(assistant, {})).rejects.toThrow('Name a notification_id, an event_id or a user_id.');
});
