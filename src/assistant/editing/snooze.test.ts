import { describe, expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';

const at = (time: string) => Date.parse(`2026-11-17T${time}:00+01:00`);

/** Ada received a reminder at 13:00 of an event at 14:00. */
async function reminded(more = {}): Promise<{ assistant: TestAssistant; id: string }> {
  const assistant = openAssistant();
  await assistant.call('create_user', {
    id: 'ada',
    name: 'Ada',
    email: 'ada@example.com',
    timezone: 'Europe/Berlin',
    ...more,
  });
  await assistant.call('create_event', {
    user_id: 'ada',
    id: 'one',
    title: 'Review',
    start_ts: '2026-11-17T14:00',
  });
  await assistant.call('plan_notifications', { user_id: 'ada' });
  expect(await runWorker(assistant, at('13:00'))).toHaveLength(1);
  assistant.now = at('13:01');
  return { assistant, id: (await sent(assistant))[0]!.id };
}

const sent = async (assistant: TestAssistant) =>
  (await assistant.call('list_notifications', { status: 'sent', days_back: 1 }))[
    'notifications'
  ] as unknown as { id: string }[];
const snooze = (assistant: TestAssistant, notification_id: string, more = {}) =>
  assistant.call('snooze_notification', { notification_id, ...more });

describe('a snoozed reminder', () => {
  it('is sent again at the chosen time, and can be snoozed again', async () => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    expect(await snooze(assistant, id, { minutes: 20 })).toMatchObject({
      plan_time: '2026-11-17T12:21:00Z',
      origin: 'snooze',
    });
    expect(await runWorkerUntil(assistant, at('13:30'))).toEqual([expect.stringMatching(/^Review/)]);
    const again = (await sent(assistant)).find((row) => row.id !== id)!;
    expect(await snooze(assistant, again.id, { until: '13:45' })).toMatchObject({
      plan_time: '2026-11-17T12:45:00Z',
    });
    expect(await runWorkerUntil(assistant, at('14:00'))).toHaveLength(1);
  });

  it.each([
    ['13:30', '2026-11-17T12:30:00Z'],
    ['today 13:30', '2026-11-17T12:30:00Z'],
    ['in 15 minutes', '2026-11-17T12:16:00Z'],
  ])('can wait until %s', async (until, plan_time) => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    expect(await snooze(assistant, id, { until })).toMatchObject({ plan_time });
  });

  it('stays planned when the title changes and planning runs again, and follows a move', async () => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    await snooze(assistant, id, { minutes: 20 });
    await assistant.call('update_event', { event_id: 'one', title: 'Review of plans' });
    await assistant.call('plan_notifications', { user_id: 'ada', force_replan: true });
    expect(await runWorkerUntil(assistant, at('13:21'))).toEqual([expect.stringMatching(/^Review of plans/)]);
    const again = (await sent(assistant)).find((row) => row.id !== id)!;
    await snooze(assistant, again.id, { minutes: 20 });
    await assistant.call('update_event', { event_id: 'one', start_ts: '2026-11-17T18:00' });
    const written = await runWorkerUntil(assistant, at('16:00'));
    expect(written).toEqual([expect.stringMatching(/^Moved: Review of plans/)]);
  });

  it('ends with an acknowledgement', async () => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    await snooze(assistant, id);
    await assistant.call('acknowledge_notification', { notification_id: id });
    expect(await runWorkerUntil(assistant, at('14:00'))).toEqual([]);
  });

  it('comes a minute before the start if ten minutes are too long', async () => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    assistant.now = at('13:55');
    expect(await snooze(assistant, id)).toMatchObject({ plan_time: '2026-11-17T12:59:00Z' });
  });

  it('keeps a time in quiet hours, which the person named, and comes with a sound', async () => {
    const { assistant, id } = await reminded({ quiet_start: '13:30', quiet_end: '13:50' });
    await using _ = assistant;
    expect(await snooze(assistant, id, { until: '13:40' })).toMatchObject({
      plan_time: '2026-11-17T12:40:00Z',
      urgency: 'normal',
    });
    expect(await runWorkerUntil(assistant, at('13:41'))).toEqual([expect.stringMatching(/^Review/)]);
  });

  it('keeps a time on a day for which the person wants no messages', async () => {
    const assistant = openAssistant();
    await using _ = assistant;
    const ada = { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' };
    await assistant.call('create_user', { ...ada, weekend_policy: 'none' });
    // A Friday evening.
    await assistant.call('remind', { who: 'ada', text: 'Water', when: '2026-11-20T20:00' });
    expect(await runWorkerUntil(assistant, Date.parse('2026-11-20T20:01:00+01:00'))).toHaveLength(1);
    const [{ id }] = (await sent(assistant)) as [{ id: string }];
    expect(await snooze(assistant, id, { until: '2026-11-21T22:00' })).toMatchObject({
      plan_time: '2026-11-21T21:00:00Z',
      channel: 'email',
    });
    expect(await runWorkerUntil(assistant, Date.parse('2026-11-21T22:01:00+01:00'))).toHaveLength(1);
  });

  it('is refused after the start, and for what is no reminder', async () => {
    const { assistant, id } = await reminded();
    await using _ = assistant;
    await expect(snooze(assistant, id, { until: '14:30' })).rejects.toThrow(/before that/);
    await expect(snooze(assistant, id, { until: 'later' })).rejects.toThrow(/until "later" is not a time/);
    await expect(snooze(assistant, id, { until: '2026-11-17' })).rejects.toThrow(/too late/);
    assistant.now = at('14:00');
    await expect(snooze(assistant, id)).rejects.toThrow(/too late/);
    await expect(snooze(assistant, 'nothing')).rejects.toThrow('Notification not found');
  });
});
