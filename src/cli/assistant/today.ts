import type { ToolAnswer } from '../../api.ts';
import { Failure } from '../../failure.ts';
import { wholeList } from '../../paging.ts';
import { showTime } from '../client/tool-command.ts';
import { single } from '../terminal/command.ts';
import { type Terminal, tableText } from '../terminal/terminal.ts';
import { inboxText, readInbox } from './inbox.ts';

type Event = ToolAnswer<'list_events'>['events'][number];

export const today = single('today', {
  summary: 'Show what is on today and tomorrow, and what needs you',
  args: '[PERSON]',
  examples: ['today', 'today ada'],
  async run({ connect, words: [person], terminal }) {
    const client = await connect();
    const nobody = { user: undefined, events: [], notifications: [] };
    const read = async () => {
      const { value: user } = await client.call('get_user', person === undefined ? {} : { user_id: person });
      const of = { user_id: user.id, ...wholeList };
      const { value: listed } = await client.call('list_events', { ...of, days_back: 1, days_forward: 2 });
      const planned = { ...of, days_forward: 2, status: 'planned' } as const;
      const { value: reminders } = await client.call('list_notifications', planned);
      return { user, events: listed.events, notifications: reminders.notifications };
    };
    const { user, events, notifications } = await read().catch((error: unknown) => {
      // Before the first event, nobody is known.
      if (person === undefined && error instanceof Failure && error.kind === 'resource-not-found')
        return nobody;
      throw error;
    });
    const zone = user?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const dayOf = (ms: number) =>
      new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short' }).format(ms);
    const now = Date.now();
    const days = [dayOf(now), dayOf(now + 86_400_000)] as const;
    const on = (day: string) => ({
      events: events.filter((event) => covers(event, day, dayOf)),
      reminders: notifications.filter(({ plan_time }) => dayOf(Date.parse(plan_time)) === day),
    });
    const inbox = await readInbox(client);
    const value = { inbox, today: on(days[0]), tomorrow: on(days[1]) };
    terminal.answer(value, () =>
      [
        ...(inbox.items.length === 0 ? [] : [`Needs you\n${inboxText(inbox, terminal)}`]),
        `Today\n${table(value.today, zone, terminal)}`,
        `Tomorrow\n${table(value.tomorrow, zone, terminal)}`,
      ].join('\n\n'),
    );
    return 0;
  },
});

function covers(
  { start_ts, end_ts, start_date, end_date }: Event,
  day: string,
  dayOf: (ms: number) => string,
): boolean {
  if (start_date !== undefined) return start_date <= day && day < (end_date ?? `${start_date}~`);
  const [start, end] = [Date.parse(start_ts), Date.parse(end_ts)];
  return dayOf(start) <= day && day <= dayOf(Math.max(start, end - 1));
}

function table(
  {
    events,
    reminders,
  }: { events: readonly Event[]; reminders: ToolAnswer<'list_notifications'>['notifications'] },
  zone: string,
  terminal: Terminal,
): string {
  const clock = (time: string) => showTime(time, zone).slice(-5);
  const isReminder = ({ start_ts, end_ts, task }: Event) => start_ts === end_ts && task === undefined;
  const shown = new Set(events.filter(isReminder).map(({ id }) => id));
  const rows = [
    ...events.map((event) => [
      event.start_date === undefined ? clock(event.start_ts) : 'all day',
      event.task === undefined ? (isReminder(event) ? 'reminder' : 'event') : `task, ${event.task}`,
      event.title,
      event.location,
    ]),
    ...reminders
      .filter(({ event_id }) => !shown.has(event_id))
      .map(({ plan_time, subject, channel }) => [clock(plan_time), 'reminder', subject, channel]),
  ];
  return rows.length === 0 ? 'Nothing.' : tableText(terminal, undefined, rows);
}
