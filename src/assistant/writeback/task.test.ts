import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runWorker, runWorkerUntil } from '../../../test/assistant-worker.ts';
import { type CalDavServer, startCalDav } from '../../../test/caldav/server.ts';
import { openAssistant, type TestAssistant } from '../../../test/open-assistant.ts';
import { createStore, type Store } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { syncDue } from '../calendar/watch.ts';
import { createResponses } from '../delivery/acknowledge.ts';
import { writePendingTasks } from './task.ts';

const now = Date.parse('2026-06-01T08:00:00Z');
const day = 86_400_000;
const taxes = (...lines: readonly string[]) =>
  [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VTODO', 'UID:taxes', 'DTSTAMP:20260101T000000Z'],
    ...['SUMMARY:Tax return', 'DUE;TZID=Europe/Berlin:20260605T120000', 'X-FOREIGN;X-P="a;b":keep\\, this'],
    ...[...lines, 'END:VTODO', 'END:VCALENDAR', ''],
  ].join('\r\n');

let server: CalDavServer;
beforeAll(async () => {
  server = await startCalDav();
});
afterAll(() => server.close());
beforeEach(() => {
  server.objects.clear();
  Object.assign(server, { readOnly: false, afterWrite: undefined });
});

const options = {
  ...{ privateHosts: ['127.0.0.1'], passwordsFile: '/nonexistent' },
  ...{ maxBytes: 1e7, intervalMs: 900_000 },
};

async function open(text: string): Promise<TestAssistant> {
  server.objects.set('/cal/taxes.ics', text);
  const assistant = openAssistant({ calendars: options });
  assistant.now = now;
  await assistant.call('create_user', {
    ...{ id: 'ann', name: 'Ann', email: 'ann@example.com', timezone: 'Europe/Berlin' },
  });
  await assistant.call('add_calendar', { user_id: 'ann', source: server.url, kind: 'caldav' });
  return assistant;
}

interface Task {
  readonly id: string;
  readonly task: string;
  readonly occurrence?: string;
}
const tasks = async (assistant: TestAssistant) => {
  const { events } = await assistant.call('list_events', { days_forward: 30, days_back: 10 });
  return events as unknown as Task[];
};
const stored = () => server.objects.get('/cal/taxes.ics')!;

/** Another program changes the task. */
async function writeAsOwner(text: string): Promise<void> {
  const { readOnly } = server;
  server.readOnly = false;
  await fetch(new URL('/cal/taxes.ics', server.url), { method: 'PUT', body: text });
  server.readOnly = readOnly;
}

/** The process that handles the buttons of messages. */
function responsesOf(assistant: TestAssistant) {
  const store: Store = createStore(assistant.file);
  const calendars = { data: { store, clock: () => assistant.now, occurrences: expandEvent }, options };
  return {
    calendars,
    responses: createResponses(calendars),
    [Symbol.asyncDispose]: () => store.close(),
  };
}

describe('a task on a CalDAV server', () => {
  it('is done there after the button Done, with everything else as before, and no later reminder', async () => {
    await using assistant = await open(taxes());
    await assistant.call('plan_notifications', { user_id: 'ann' });
    const [mail] = await runWorkerUntil(assistant, Date.parse('2026-06-05T08:00:00Z'));
    expect(mail).toContain('Due: Tax return');
    const { notifications } = await assistant.call('list_notifications', { status: 'sent', days_back: 7 });
    const [{ id }] = notifications as [{ id: string }];
    await using process = responsesOf(assistant);
    await process.responses.done(id, 'telegram');
    expect(stored()).toMatch(/^STATUS:COMPLETED\r$/m);
    expect(stored()).toMatch(/^COMPLETED:20260605T0[67]\d{4}Z\r$/m);
    expect(stored()).toMatch(/^PERCENT-COMPLETE:100\r$/m);
    expect(stored()).toContain('X-FOREIGN;X-P="a;b":keep\\, this\r\n');
    expect(await tasks(assistant)).toMatchObject([{ task: 'done' }]);
    expect(await runWorker(assistant, assistant.now + 2 * day)).toEqual([]);
  });

  it('can be opened again, and keeps what another program changed at the same time', async () => {
    await using assistant = await open(taxes());
    const [{ id }] = (await tasks(assistant)) as [Task];
    server.objects.set('/cal/taxes.ics', taxes('DESCRIPTION:Bring the receipts'));
    expect(await assistant.call('update_event', { event_id: id, task: 'done' })).toMatchObject({
      task: 'done',
    });
    expect(stored()).toContain('DESCRIPTION:Bring the receipts');
    expect(await assistant.call('update_event', { event_id: id, task: 'open' })).toMatchObject({
      task: 'open',
    });
    expect(stored()).toMatch(/^STATUS:NEEDS-ACTION\r$/m);
    expect(stored()).not.toMatch(/^(COMPLETED|PERCENT-COMPLETE):/m);
  });

  it('that repeats is done on one date', async () => {
    await using assistant = await open(taxes('RRULE:FREQ=WEEKLY;COUNT=3'));
    const [first, second] = (await tasks(assistant)) as [Task, Task];
    await expect(assistant.call('update_event', { event_id: first.id, task: 'done' })).rejects.toThrow(
      'This task repeats',
    );
    const { id: event_id, occurrence } = second;
    await assistant.call('update_event', { event_id, occurrence: occurrence!, task: 'done' });
    expect(stored()).toContain('RECURRENCE-ID;TZID=Europe/Berlin:20260612T120000\r\n');
    expect((await tasks(assistant)).map(({ task }) => task)).toEqual(['open', 'done', 'open']);
  });

  it('is done only here if the calendar can only be read, also after the next sync', async () => {
    await using assistant = await open(taxes());
    server.readOnly = true;
    const [{ id }] = (await tasks(assistant)) as [Task];
    expect(await assistant.call('update_event', { event_id: id, task: 'done' })).toMatchObject({
      task: 'done',
    });
    expect(stored()).toBe(taxes());
    await writeAsOwner(taxes('DESCRIPTION:New text'));
    await assistant.call('sync_calendar', {});
    expect(await tasks(assistant)).toMatchObject([{ task: 'done' }]);
    await writeAsOwner(taxes().replace('20260605T', '20260607T'));
    await assistant.call('sync_calendar', {});
    expect(await tasks(assistant)).toMatchObject([{ task: 'open' }]);
  });

  it('is written with the next sync if the server did not answer', async () => {
    await using assistant = await open(taxes());
    const [{ id }] = (await tasks(assistant)) as [Task];
    server.failing = true;
    await expect(assistant.call('update_event', { event_id: id, task: 'done' })).rejects.toThrow(
      /"Tax return" is done here, but not on its server yet: .* The next sync tries again\./,
    );
    expect(await tasks(assistant)).toMatchObject([{ task: 'done' }]);
    server.failing = false;
    await using process = responsesOf(assistant);
    assistant.now += 900_001;
    const { calendars } = process;
    const afterSync = (one: string) => writePendingTasks(calendars, one);
    await syncDue({ ...calendars, afterSync }, AbortSignal.timeout(10_000));
    expect(stored()).toMatch(/^STATUS:COMPLETED\r$/m);
    await writeAsOwner(taxes('SEQUENCE:9'));
    await assistant.call('sync_calendar', {});
    expect(await tasks(assistant)).toMatchObject([{ task: 'open' }]);
  });
});

describe('a task that is only here', () => {
  it('is created, due at a time, and done', async () => {
    await using assistant = openAssistant();
    await assistant.call('create_user', { id: 'ann', name: 'Ann', timezone: 'Europe/Berlin' });
    const made = await assistant.call('create_event', {
      ...{ user_id: 'ann', id: 'bins', title: 'Bins', start_ts: '2026-11-17T18:00', task: 'open' },
    });
    expect(made).toMatchObject({ task: 'open', end_ts: '2026-11-17T17:00:00Z' });
    expect(await assistant.call('update_event', { event_id: 'bins', task: 'done' })).toMatchObject({
      task: 'done',
    });
    await assistant.call('create_event', {
      ...{ user_id: 'ann', id: 'lunch', title: 'Lunch', start_ts: '2026-11-17T12:00' },
    });
    await expect(assistant.call('update_event', { event_id: 'lunch', task: 'done' })).rejects.toThrow(
      '"Lunch" is an event, not a task',
    );
  });
});
