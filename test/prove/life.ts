// Lives four weeks of a family with the defaults, and counts what each person gets: a school timetable, stand-ups, flights, a
// sick week, a closed laptop and two clock changes. What is important and what is useless was written before the first run.
// `npm run prove -- life [--all [LANGUAGE]]` prints every message, in a language for people who read them: en, de, fr or es.
import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { nextDue } from '../../src/assistant/delivery/claim.ts';
import { Worker } from '../../src/assistant/delivery/worker.ts';
import { channelNames } from '../../src/assistant/entities/channels.ts';
import { planNotifications } from '../../src/assistant/planning/planning.ts';
import type { Message } from '../../src/assistant/sending/channel.ts';
import { localText } from '../../src/recurrence/zone.ts';
import type { Notification, User } from '../../src/store/schema.ts';
import { createStore } from '../../src/store/store.ts';
import { openAssistant } from '../open-assistant.ts';
import { closed, firstDay, happenings, important, lastDay } from './parts/life-world.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Limits of an average working day. */
const maxMessages = 6;
const maxCalls = 1;

interface Sent {
  readonly atMs: number;
  readonly channel: string;
  readonly message: Message;
}

const all = process.argv.indexOf('--all');
const verbose = all > 0;
const locale = verbose ? process.argv[all + 1] : undefined;
await using assistant = openAssistant();
assistant.now = firstDay;
const store = createStore(assistant.file);
const sent: Sent[] = [];
const clock = () => assistant.now;
const senders = Object.fromEntries(
  channelNames.map((channel) => [
    channel,
    {
      deliver: async (message: Message) => {
        sent.push({ atMs: assistant.now, channel, message });
        return { kind: 'accepted', detail: 'arrived' } as const;
      },
    },
  ]),
);
const worker = new Worker({ store, senders, owner: 'life', clock, claimAheadMs: 0 });
const data = { store, clock, occurrences: expandEvent };
let cpu = 0;

async function plan(): Promise<void> {
  const started = process.cpuUsage();
  for (const userId of ['ada', 'ben', 'cleo'])
    await planNotifications(
      data,
      undefined,
      { userId, force: false, dryRun: false },
      new AbortController().signal,
    );
  const { user, system } = process.cpuUsage(started);
  cpu += user + system;
}

const waiting = [...happenings];
let nextPlanMs = firstDay;
while (assistant.now < lastDay) {
  const { sendMs = lastDay, followUpMs = lastDay } = await nextDue(store, assistant.now);
  const happensMs = waiting.length === 0 ? lastDay : Date.parse(waiting[0]!.at);
  const dueMs = Math.min(sendMs, followUpMs);
  const isClosed = dueMs >= closed[0] && dueMs < closed[1];
  const workMs = isClosed ? closed[1] : dueMs;
  assistant.now = Math.max(assistant.now, Math.min(workMs, happensMs, nextPlanMs, lastDay));
  if (assistant.now >= happensMs) {
    while (waiting.length > 0 && Date.parse(waiting[0]!.at) <= assistant.now) {
      const { tool, arguments: given } = waiting.shift()!;
      const more = tool === 'create_user' && locale !== undefined ? { locale } : {};
      await assistant.call(tool, { ...given, ...more });
    }
    await plan();
  } else if (assistant.now >= nextPlanMs) {
    await plan();
    nextPlanMs += 12 * hour;
  } else if (assistant.now >= workMs) {
    await worker.claimDue();
    await worker.untilOnlySlowReceivers();
    await worker.followUp();
  }
}

const rows = await store.read((db) => db.selectFrom('notifications').selectAll().execute());
const users = await store.read((db) => db.selectFrom('users').selectAll().execute());
const rowOf = new Map(rows.map((row) => [row.id, row]));
const titleOf = (row: Notification) =>
  (JSON.parse(row.payload) as { title?: string; subject: string }).title ?? '';
/** The reminders in a message: its own, and those that it carried. */
const saidIn = ({ message }: Sent) => {
  const row = rowOf.get(message.id)!;
  return [row, ...rows.filter(({ leader_id, status }) => leader_id === row.id && status === 'sent')];
};
/** What the person reads or hears. */
function wordsOf({ channel, message: { subject, text, speech, short } }: Sent): string {
  if (channel === 'call') return speech;
  return channel === 'email' ? `${subject} | ${text}` : `${short.title} | ${short.text}`;
}
const problems: string[] = [];

/** The rules for what is useless, in the order in which they were written. */
function whyUseless(one: Sent, user: User): string | undefined {
  const row = rowOf.get(one.message.id)!;
  if (row.event_id === '') return undefined;
  const named = row.origin?.endsWith('-quiet') || row.origin === 'event' || row.origin === 'snooze';
  const time = localText(one.atMs, user.timezone!).slice(11, 16);
  const isQuiet = time >= '21:00' || time < '07:00';
  const untilMs = row.event_start_ms - one.atMs;
  const isLate = one.message.data['late'] === true;
  const isAfter = row.slot < 0 && untilMs < 0 && !isLate;
  // A notice of a change has its title in its subject.
  if (titleOf(row) === '' && row.change === null) return 'it says nothing';
  if (isAfter) return 'its event has begun';
  if (isQuiet && !named && one.message.urgency !== 'low') return `it makes a sound at ${time}`;
  const paused = user.id === 'ben' && one.atMs > Date.parse('2026-03-16T11:00Z');
  if (paused && one.atMs < Date.parse('2026-03-21T04:00Z') && titleOf(row) !== 'Doctor')
    return 'reminders were paused';
  const isOrdinary = row.change === null && !named && row.urgency === 'normal' && row.slot > -120;
  if (isOrdinary && untilMs > 6 * hour) return 'its event is hours away';
  return undefined;
}

console.log(
  '| person | messages | calls | on a working day | merged | dropped | late | doubled | useless |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |',
);
for (const user of users) {
  const own = sent.filter(({ message }) => rowOf.get(message.id)!.user_id === user.id);
  const calls = own.filter(({ channel }) => channel === 'call');
  const workdays = own.filter(
    ({ atMs }) => ![0, 6].includes(new Date(`${localText(atMs, user.timezone!)}Z`).getUTCDay()),
  );
  const perDay = (count: number) => count / 20;
  const doubled = own.filter((one, index) => {
    const row = rowOf.get(one.message.id)!;
    return own
      .slice(0, index)
      .some(
        (other) =>
          other.channel === one.channel &&
          one.atMs - other.atMs < 20 * minute &&
          row.change === null &&
          saidIn(other).some(
            (said) =>
              said.event_id === row.event_id && said.occurrence === row.occurrence && row.event_id !== '',
          ),
      );
  });
  const useless = own.flatMap((one) => {
    const why = whyUseless(one, user);
    return why === undefined ? [] : [`${one.message.short.title}: ${why}`];
  });
  const late = own.filter(({ message }) => message.data['late'] === true);
  const isOf = (kind: string) =>
    rows.filter((row) => row.user_id === user.id && row.attention === kind && row.plan_ms < lastDay).length;
  const messages = perDay(workdays.filter(({ channel }) => channel !== 'call').length);
  const called = perDay(workdays.filter(({ channel }) => channel === 'call').length);
  console.log(
    `| ${[user.name, own.length - calls.length, calls.length, `${messages.toFixed(1)} and ${called.toFixed(1)}`, isOf('merged'), isOf('dropped'), late.length, doubled.length, useless.length].join(' | ')} |`,
  );
  if (messages > maxMessages) problems.push(`${user.name} gets ${messages} messages on a working day`);
  if (called > maxCalls) problems.push(`${user.name} gets ${called} calls on a working day`);
  problems.push(...useless, ...doubled.map(({ message }) => `doubled: ${message.short.title}`));
  if (verbose)
    for (const one of own)
      console.log(
        `  ${localText(one.atMs, user.timezone!).slice(0, 16)} ${one.channel} ${wordsOf(one).replaceAll(/\n+/g, ' / ')}`,
      );
}
for (const { person, title, start, from, to } of important) {
  const startMs = Date.parse(start);
  const reached = sent.some(
    (one) =>
      startMs - one.atMs <= from * minute + 1000 &&
      startMs - one.atMs >= to * minute - 1000 &&
      (saidIn(one).some(
        (row) => row.user_id === person && titleOf(row) === title && row.event_start_ms === startMs,
      ) ||
        // What was due while the laptop was closed is in the report of missed reminders.
        (rowOf.get(one.message.id)!.key.startsWith('missed/') && one.message.text.includes(title))),
  );
  if (!reached)
    problems.push(`${person} got no message about ${title} (${start}), ${from} to ${to} minutes before`);
}
const notices = rows.filter(({ status }) => status === 'sent').length;
console.log(
  `\n${sent.length} messages of ${notices} reminders; ${important.length} important ones; ${(cpu / 1000 / rows.length).toFixed(2)} ms of CPU for planning each of ${rows.length} notifications`,
);
for (const problem of problems) console.log(`✗ ${problem}`);
console.log(
  problems.length === 0 ? 'no problems' : `${problems.length} problems in ${(lastDay - firstDay) / day} days`,
);
await store.close();
process.exitCode = problems.length === 0 ? 0 : 1;
