import { numberTo, repeatTo } from '../hostile-text.ts';
import type { HostileInput, Shape } from './corpus.ts';

/** Calendars, as arguments of a tool and as files, and the series that remain of them. */
export function calendarInputs(size: number): readonly HostileInput[] {
  const repeated = (text: string, length = size) => repeatTo(length, text);
  const numbered = (text: (number: number) => string, length = size) => numberTo(length, text);
  const event = (number: number, lines: string) =>
    `BEGIN:VEVENT\nUID:u${number}\nDTSTART:20260601T080000Z\n${lines}END:VEVENT\n`;
  const calendars: readonly Shape[] = [
    ['invalid lines', event(0, repeated('EXDATE\n'))],
    ['invalid dates', event(0, repeated('EXDATE:x\n'))],
    [
      'unknown time zones',
      numbered(
        (number) =>
          `BEGIN:VEVENT\nUID:u${number}\nDTSTART;TZID=No/Zone${number}:20260601T080000\nEND:VEVENT\n`,
      ),
    ],
    ['parameters', event(0, `SUMMARY;${numbered((number) => `X-A${number}=b;`)}X-Z=c:x\n`)],
    ['a quoted parameter without end', event(0, `SUMMARY;X-A="${repeated('a;b=')}\n`)],
    ['components without end', repeated('BEGIN:VALARM\n')],
    [
      'slow rules',
      numbered((number) => event(number, `RRULE:FREQ=DAILY;COUNT=${number + 40_000};BYHOUR=1\n`)),
    ],
    [
      'unusual rules',
      numbered((number) => event(number, `RRULE:FREQ=DAILY;BYHOUR=${number % 24};BYMINUTE=0,15\n`), size / 4),
    ],
    [
      'rules without a match',
      numbered((number) =>
        event(
          number,
          `RRULE:FREQ=YEARLY;BYDAY=MO;BYMONTH=2;BYMONTHDAY=30;BYYEARDAY=${(number % 300) + 1},2,3\n`,
        ),
      ),
    ],
    ['exceptions', event(0, `RRULE:FREQ=DAILY\n${repeated('EXDATE:20260602T080000Z\n')}`)],
    [
      'a list of exceptions',
      event(0, `RRULE:FREQ=DAILY\nEXDATE;VALUE=DATE:${repeated('20260602,')}20260603\n`),
    ],
    ['periods', event(0, `RDATE;VALUE=PERIOD:${repeated('20260602T080000Z/PT1H,')}20260603T080000Z/PT1H\n`)],
    [
      'changed occurrences',
      event(0, 'RRULE:FREQ=DAILY\n') +
        numbered((number) =>
          event(
            0,
            `RECURRENCE-ID:${String(20260101 + (number % 28))}T08${String(number % 60).padStart(2, '0')}00Z\n`,
          ),
        ),
    ],
    [
      'attendees',
      event(
        0,
        numbered((number) => `ATTENDEE;CN=A${number}:mailto:a${number}@example.com\n`),
      ),
    ],
    ['alarms', event(0, repeated('BEGIN:VALARM\nTRIGGER:-PT5M\nACTION:DISPLAY\nEND:VALARM\n'))],
    ['nested events', repeated('BEGIN:VEVENT\n', size / 2) + repeated('END:VEVENT\n', size / 2)],
    ['a long description', event(0, `DESCRIPTION:${repeated('a\\n\\,')}\n`)],
    ['a folded line', event(0, `DESCRIPTION:${repeated('a\n ')}\n`)],
    ['spaces', event(0, `SUMMARY:${repeated(' ')}\n`)],
    ['a long identifier', `BEGIN:VEVENT\nUID:${repeated('a')}\nDTSTART:20260601T080000Z\nEND:VEVENT\n`],
    ['events', numbered((number) => event(number, 'SUMMARY:x\n'))],
  ];
  return [
    ...calendars.flatMap(([name, text], at): HostileInput[] => {
      const content = `BEGIN:VCALENDAR\n${text}\nEND:VCALENDAR\n`;
      return [
        { name: `a calendar of ${name}`, tool: 'import_calendar', args: { user_id: 'ann', content } },
        {
          name: `a calendar file of ${name}`,
          tool: 'import_calendar',
          args: { user_id: 'ann', source: `$HOME/calendars/${at}.ics` },
          files: { [`calendars/${at}.ics`]: content },
        },
      ];
    }),
    {
      name: 'the events of all these calendars',
      tool: 'list_events',
      args: { days_back: 30, days_forward: 90 },
    },
    {
      name: 'the plan for all these calendars',
      tool: 'plan_notifications',
      args: { user_id: 'ann' },
    },
    {
      name: 'a meeting between all these events',
      tool: 'find_time',
      args: { people: ['ann'], duration_minutes: 30 },
    },
  ];
}
