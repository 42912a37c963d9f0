import { callTool } from './calendar-client.ts';
import type { PageServer } from './page-server.ts';

/** Title, day from the first one on, start and end in hours, or days for events of whole days. */
type Line = readonly [title: string, day: number, from: number, to: number];

const calendars: Readonly<Record<string, readonly Line[]>> = {
  Work: [
    ...[0, 1, 2, 3].map((day): Line => ['Stand-up', day, 9, 9.25]),
    ...([
      ['Crane supplier call', 0, 16, 16.5],
      ['Design review', 1, 9.75, 12],
    ] as const),
    ...([
      ['Release notes', 1, 15.5, 16.5],
      ['Weekly sync', 2, 14.75, 15.75],
    ] as const),
    ...([
      ['Crane inspection', 3, 10, 12],
      ['Office hours', 3, 17, 17.5],
      ['Retro', 4, 13, 14],
    ] as const),
  ],
  Harbour: [
    ['Pilot briefing', 0, 10.5, 11.25],
    ...([
      ['Harbour review', 0, 14, 15],
      ['Dredging plan', 1, 13, 14.5],
      ['Quay walk', 2, 11, 13],
    ] as const),
    ...([
      ['Harbour masters’ meeting', 3, 10, 11],
      ['Tide model demo', 4, 11, 12],
    ] as const),
    ['Berth plan for the long ships of the northern harbours', 1, 13.25, 14.25],
  ],
  Hiring: [
    ...([
      ['Budget with Ben', 0, 14.75, 15.75],
      ['Interview: Noor', 1, 10.5, 11.5],
    ] as const),
    ...([
      ['Hiring round', 2, 14, 15.5],
      ['Ben, one to one', 4, 13.75, 14.75],
    ] as const),
  ],
  Family: [
    ...([
      ['Choir', 0, 18.5, 20.5],
      ['Lunch with Ben', 1, 13, 14],
      ['Dentist', 2, 8, 8.75],
    ] as const),
    ...([
      ['Swimming', 2, 17, 18],
      ['Lunch with Charles', 3, 12.5, 13.5],
      ['Train to Hamburg', 4, 8, 9.5],
    ] as const),
    ...([
      ['Concert', 5, 19, 20],
      ['Brunch', 6, 11, 12.5],
      ['Tea', 1, 13, 13.5],
    ] as const),
  ],
  Sailing: [['Regatta', 5, 10, 13]],
  Tides: [
    ['Spring tide', 0, 0, 3],
    ['Nina’s birthday', 5, 0, 1],
  ],
};

/** Adds a person with six calendars and a full week from a day on. */
export async function addDenseWeek(server: PageServer, day: string): Promise<void> {
  await callTool(server, 'create_user', { id: 'grace', name: 'Grace', timezone: 'UTC', locale: 'de' });
  const at = (days: number, hours: number) =>
    new Date(Date.parse(day) + (days * 24 + hours) * 3_600_000).toISOString().replace(/[-:]|\.000/g, '');
  for (const [name, lines] of Object.entries(calendars)) {
    const events = lines.flatMap(([title, days, from, to]) => {
      const isWhole = name === 'Tides';
      const start = isWhole ? `;VALUE=DATE:${at(days, 0).slice(0, 8)}` : `:${at(days, from)}`;
      const end = isWhole ? `;VALUE=DATE:${at(days + to, 0).slice(0, 8)}` : `:${at(days, to)}`;
      return [
        ...['BEGIN:VEVENT', `UID:${title} ${days}`, `DTSTAMP:${at(0, 0)}`, `SUMMARY:${title}`],
        ...[`DTSTART${start}`, `DTEND${end}`, 'END:VEVENT'],
      ];
    });
    const content = ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events, 'END:VCALENDAR', ''].join('\r\n');
    await callTool(server, 'import_calendar', { user_id: 'grace', name, content });
  }
  await callTool(server, 'plan_notifications', { user_id: 'grace' });
}
