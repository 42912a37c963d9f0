import { describe, expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';

const at = (time: string, day = 17) => Date.parse(`2026-11-${day}T${time}:00+01:00`);

async function open(more = {}): Promise<TestAssistant> {
  const assistant = openAssistant();
  await assistant.call('create_user', {
    ...{ id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'Europe/Berlin' },
    reminders: { digest: ['07:30'], default: [], task: [], all_day: [] },
    ...more,
  });
  return assistant;
}
const create = (assistant: TestAssistant, title: string, start_ts: string, more = {}) =>
  assistant.call('create_event', { user_id: 'ada', title, start_ts, ...more });

describe('the daily agenda', () => {
  it('lists events, tasks, conflicts and unanswered invitations in the language of the user', async () => {
    await using assistant = await open({ locale: 'de' });
    await create(assistant, 'Review', '2026-11-17T09:00', { end_ts: '2026-11-17T10:30', location: 'Raum 1' });
    await create(assistant, 'Anruf', '2026-11-17T10:00');
    await create(assistant, 'Messe', '2026-11-17');
    await assistant.call('import_calendar', {
      user_id: 'ada',
      name: 'Work',
      content: [
        'BEGIN:VCALENDAR',
        'BEGIN:VTODO',
        'UID:t',
        'SUMMARY:Steuer',
        'DUE:20261117T160000Z',
        'END:VTODO',
        'BEGIN:VEVENT',
        'UID:e',
        'SUMMARY:Fest',
        'DTSTART:20261119T180000Z',
        'ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:ada@example.com',
        'END:VEVENT',
        'END:VCALENDAR',
      ].join('\r\n'),
    });
    await assistant.call('plan_notifications', { user_id: 'ada' });
    const [written, ...more] = await runWorkerUntil(assistant, at('08:00'));
    expect(more).toEqual([]);
    expect(written).toBe(
      [
        'Dienstag, 17. November 2026: 4 Einträge',
        'Hallo Ada,',
        '',
        'Heute',
        'ganztägig, Messe',
        '09:00–10:30 Uhr, Review, Raum 1',
        '10:00–11:00 Uhr, Anruf',
        '',
        'Aufgaben',
        '17:00, Steuer',
        '',
        'Überschneidungen',
        'Review / Anruf',
        '',
        'Unbeantwortete Einladungen',
        'Fest, Donnerstag, 19. November 2026 um 19:00',
        '',
        'Warum: deine Tagesübersicht',
        '',
        '',
      ].join('\n'),
    );
  });

  it('is sent once a day, and not on an empty day or if it was turned off', async () => {
    await using assistant = await open();
    await create(assistant, 'Review', '2026-11-17T09:00');
    expect(await runWorker(assistant, at('07:30', 16))).toEqual([]);
    expect(await runWorkerUntil(assistant, at('07:31'))).toHaveLength(1);
    expect(await runWorker(assistant, at('07:40'))).toEqual([]);
    await create(assistant, 'Later', '2026-11-18T09:00');
    await assistant.call('update_user', { user_id: 'ada', reminders: { digest: [] } });
    expect(await runWorkerUntil(assistant, at('20:00', 18))).toEqual([]);
  });

  it('is not sent in a pause, and again after it', async () => {
    await using assistant = await open();
    for (const day of [17, 18]) await create(assistant, 'Review', `2026-11-${day}T09:00`);
    expect(await runWorker(assistant, at('20:00', 16))).toEqual([]);
    const digests = async () => {
      const { notifications } = await assistant.call('list_notifications', { status: 'planned' });
      return (notifications as unknown as { plan_time: string }[]).map(({ plan_time }) => plan_time);
    };
    expect(await digests()).toEqual(['2026-11-17T06:30:00Z']);
    await assistant.call('update_user', { user_id: 'ada', pause_until: '2026-11-17T12:00' });
    expect(await digests()).toEqual([]);
    await assistant.call('update_user', { user_id: 'ada', pause_from: '2026-11-17T09:00' });
    expect(await digests()).toEqual(['2026-11-17T06:30:00Z']);
    await assistant.call('update_user', { user_id: 'ada', unset: ['pause_from'] });
    expect(await digests()).toEqual([]);
    await assistant.call('update_user', { user_id: 'ada', unset: ['pause_until'] });
    expect(await digests()).toEqual(['2026-11-17T06:30:00Z']);
    await assistant.call('update_user', { user_id: 'ada', pause_until: '2026-11-17T12:00' });
    expect(await runWorker(assistant, at('07:31'))).toEqual([]);
    expect(await runWorkerUntil(assistant, at('07:31', 18))).toEqual([expect.stringContaining('18')]);
  });

  it('is sent at the end of quiet hours, and follows changes until then', async () => {
    await using assistant = await open({ reminders: { digest: ['06:00'], default: [] } });
    await create(assistant, 'Review', '2026-11-17T09:00', { id: 'one' });
    await runWorker(assistant, at('20:00', 16));
    await assistant.call('update_event', { event_id: 'one', title: 'Retrospective' });
    await runWorker(assistant, at('06:30'));
    const [written] = await runWorkerUntil(assistant, at('07:01'));
    expect(assistant.now).toBeGreaterThanOrEqual(at('07:00'));
    expect(written).toContain('Retrospective');
  });
});
