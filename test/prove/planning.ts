// Measures the CPU time of planning: all events of a person, all of them again, and one that has changed. The first person warms the
// program up. `npm run prove -- planning [EVENTS]` fails if a notification costs more than one millisecond.
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { planNotifications } from '../../src/assistant/planning/planning.ts';
import { createStore } from '../../src/store/store.ts';
import { openAssistant } from '../open-assistant.ts';

const events = Number(process.argv[2] ?? 300);
const maxMs = 1;
await using assistant = openAssistant();
const store = createStore(assistant.file);
const data = { store, clock: () => assistant.now, occurrences: expandEvent };

async function measure(userId: string, eventId?: string): Promise<number> {
  const before = process.cpuUsage();
  const request = { userId, eventId, force: false, dryRun: false };
  await planNotifications(data, undefined, request, new AbortController().signal);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

console.log('| person | notifications | all | each | all again | one changed event |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const user_id of ['warm-up', 'ada']) {
  await assistant.call('create_user', {
    ...{ id: user_id, name: user_id, timezone: 'Europe/Berlin', ntfy_topic: user_id },
  });
  for (let index = 0; index < events; index++) {
    const [day, hour] = [17 + (index % 12), 8 + (index % 11)];
    await assistant.call('create_event', {
      ...{ user_id, id: `${user_id}-${index}`, title: `Event ${index}` },
      start_ts: `2026-11-${day}T${String(hour).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`,
      ...(index % 10 === 0 && { rrule: 'FREQ=WEEKLY;COUNT=4' }),
    });
  }
  const all = await measure(user_id);
  const again = await measure(user_id);
  const event = `${user_id}-0`;
  await assistant.call('update_event', { event_id: event, title: 'Changed' });
  const one = await measure(user_id, event);
  const rows = store.read((db) =>
    db.selectFrom('notifications').select('id').where('user_id', '=', user_id).execute(),
  );
  const count = (await rows).length;
  const figures = [`${all.toFixed(0)} ms`, `${(all / count).toFixed(2)} ms`, `${again.toFixed(0)} ms`];
  console.log(`| ${[user_id, count, ...figures, `${one.toFixed(1)} ms`].join(' | ')} |`);
  if (user_id === 'ada' && all / count > maxMs) process.exitCode = 1;
}
await store.close();
