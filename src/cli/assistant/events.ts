import { wholeList } from '../../paging.ts';
import { inCommandWords } from '../client/command-words.ts';
import { savedText, showFields, showTime, toolAction } from '../client/tool-command.ts';
import { type Command, type Flags, number, several, text, toggle } from '../terminal/command.ts';
import { tableText } from '../terminal/terminal.ts';

const details: Flags = {
  title: text('TITLE', 'What the event is called'),
  start: text('TIME', 'When it starts: tomorrow 09:30, 2027-06-12 09:30, or 2027-06-12 for a whole day', {
    argument: 'start_ts',
  }),
  end: text('TIME', 'When it ends; an hour after the start, unless given', { argument: 'end_ts' }),
  timezone: text('ZONE', 'Time zone of the event'),
  location: text('PLACE', 'Where it takes place'),
  'conf-link': text('ADDRESS', 'Link to join'),
  organizer: text('PERSON', 'Mail address or name of the organizer'),
  attendees: several('PERSON', 'Mail address or name of somebody who attends; can be repeated'),
  description: text('TEXT', 'Notes'),
  status: text('STATUS', 'confirmed, tentative or cancelled'),
  'show-as': text('STATE', 'busy, free, tentative or away; busy, unless given, and whole days free'),
  rrule: text('RULE', 'How it repeats, such as FREQ=WEEKLY;BYDAY=MO'),
  task: text('STATE', 'Make it a task, due at the start: open or done'),
  reminders: several('TIME', 'When to remind, such as 2h or 17:00; can be repeated'),
  important: toggle('Never merge or drop its reminders, and escalate them'),
  kind: text('KIND', 'What it is: online, place, flight, train, doctor, all_day, birthday, task or default'),
};
const confirm = text('TOKEN', 'Send the messages that the preview showed');
const occurrence = text('DATE', 'Only this date of a series, such as 2027-06-19');
const following = toggle('Also all later dates of the series');
const people = several('PERSON', 'Somebody who has to be free; can be repeated');
const range: Flags = {
  from: text('TIME', 'Look from this time on; from now on, unless given'),
  to: text('TIME', 'Look until this time; for a week, unless given'),
  zone: text('ZONE', 'Show times of this zone'),
};

export const events: Command = {
  name: 'events',
  summary: 'Your calendar: see, add and change events',
  actions: {
    list: toolAction({
      summary: 'List or search events',
      args: '[PERSON]',
      flags: {
        from: text('DAY', 'First day or time; two days ago, unless given'),
        to: text('DAY', 'Last day, included; 30 days later, unless given'),
        query: text('WORDS', 'Only events with these words in title, place, notes or people'),
        tasks: toggle('Only tasks, also those that are overdue'),
        'days-back': number('DAYS', 'Start so many days ago, instead of --from'),
        'days-forward': number('DAYS', 'End in so many days, instead of --to'),
      },
      examples: ['events list', 'events list ada --days-forward 7', 'events list --query dentist'],
      tool: 'list_events',
      words: ['user_id'],
      defaults: wholeList,
      show: ({ events }, terminal) =>
        events.length === 0
          ? 'No events in this time.'
          : tableText(
              terminal,
              undefined,
              events.map((event) => [
                showTime(event.start_ts, event.timezone, event.start_date !== undefined),
                event.title,
                event.location,
                event.status === 'confirmed' ? '' : event.status,
                event.id,
                event.occurrence,
              ]),
            ),
    }),
    show: toolAction({
      summary: 'Show one event',
      args: 'EVENT',
      examples: ['events show lunch', 'events show lunch --json'],
      tool: 'get_event',
      words: ['event_id'],
      show: showFields,
    }),
    create: toolAction({
      summary: 'Add an event',
      args: '[PERSON]',
      flags: {
        ...details,
        id: text('ID', 'Short name for commands; made up, unless given'),
        'calendar-id': text('CALENDAR', 'CalDAV calendar to store it in; only here, unless given'),
        confirm,
      },
      examples: [
        'events create --title Lunch --start "tomorrow 12:00"',
        'events create ada --title Choir --start 2027-06-12T19:00 --rrule FREQ=WEEKLY',
      ],
      tool: 'create_event',
      words: ['user_id'],
      changes: true,
      show: savedText,
    }),
    update: toolAction({
      summary: 'Change an event, or one date of a series',
      args: 'EVENT',
      flags: {
        ...details,
        occurrence,
        following,
        unset: several('FIELD', 'Field to clear; can be repeated'),
        confirm,
      },
      examples: ['events update lunch --start "friday 12:30"', 'events update lunch --location "Room 4"'],
      tool: 'update_event',
      words: ['event_id'],
      changes: true,
      needsFlag: true,
      show: savedText,
    }),
    delete: toolAction({
      summary: 'Delete an event, or one date of a series',
      args: 'EVENT',
      flags: { occurrence, following, confirm, yes: toggle('Do not ask', { short: 'y' }) },
      examples: ['events delete lunch', 'events delete choir --occurrence 2027-06-19'],
      tool: 'delete_event',
      words: ['event_id'],
      changes: true,
      async confirm(client, { event_id, occurrence: date, following: isFollowed }, terminal) {
        if (date !== undefined && isFollowed !== true) return true;
        const { value: event } = await client.call('get_event', { event_id: String(event_id) });
        if (!event.recurring) return true;
        const dates = date === undefined ? 'all its dates' : `${date} and all its later dates`;
        return terminal.confirm(`${event.title} is a series. Delete ${dates}?`);
      },
      show: ({ deleted }) => `✓ Deleted ${deleted}`,
    }),
    answer: toolAction({
      summary: 'Answer an invitation',
      args: 'EVENT [ANSWER]',
      notes: { ANSWER: 'accepted, declined or tentative' },
      flags: { answer: text('ANSWER', 'The same as the second word'), occurrence },
      examples: ['events answer board-meeting accepted', 'events answer board-meeting declined'],
      tool: 'answer_invitation',
      words: ['event_id', 'answer'],
      changes: true,
      show: showFields,
    }),
    find: toolAction({
      summary: 'Find a time when several people are free',
      flags: {
        people,
        'duration-minutes': number('MINUTES', 'Length of the meeting'),
        ...range,
        hours: text('HOURS', 'Working hours; 09:00-17:00, unless given'),
        weekdays: several('DAY', 'Only these days, such as mon; can be repeated'),
        'buffer-minutes': number('MINUTES', 'Free time before and after other events'),
        'step-minutes': number('MINUTES', 'Try a start so often; every 15, unless given'),
        rrule: text('RULE', 'Check all dates of a series within a year'),
        'ignore-event-id': text('EVENT', 'Event to move, which does not count as busy'),
        count: number('COUNT', 'Number of proposals; 5, unless given'),
      },
      examples: [
        'events find --people ada --people bob --duration-minutes 30',
        'events find --people ada --people bob --duration-minutes 60 --from 2027-06-14',
      ],
      tool: 'find_time',
      show: ({ slots, unknown = [], none_because: reason }, terminal) =>
        [
          slots.length === 0
            ? (reason ?? 'No time found.')
            : tableText(
                terminal,
                undefined,
                slots.flatMap(({ people, dates, missed = [] }, index) =>
                  people.map(({ user_id, state, start_local }, row) => [
                    row === 0 ? `${index + 1}` : '',
                    start_local,
                    user_id,
                    state,
                    row === 0 && dates !== undefined ? `${dates - missed.length} of ${dates} dates` : '',
                  ]),
                ),
              ),
          ...unknown.map(({ user_id, reason }) => `unknown: ${user_id}: ${inCommandWords(reason)}`),
        ].join('\n'),
    }),
    busy: toolAction({
      summary: 'Show when people are busy',
      flags: { people, ...range },
      examples: ['events busy --people ada', 'events busy --people ada --from 2027-06-14 --to 2027-06-18'],
      tool: 'find_time',
      show: ({ people = [] }, terminal) =>
        people
          .flatMap(({ user_id, busy, unknown = [] }) => [
            busy.length === 0
              ? `${user_id}  no busy times known`
              : tableText(
                  terminal,
                  undefined,
                  busy.map(({ start_ts, start_local = start_ts, end_ts, tentative }) => [
                    user_id,
                    start_local,
                    `until ${end_ts}`,
                    tentative ? 'tentative' : 'busy',
                  ]),
                ),
            ...unknown.map((reason) => `unknown: ${user_id}: ${inCommandWords(reason)}`),
          ])
          .join('\n'),
    }),
  },
};
