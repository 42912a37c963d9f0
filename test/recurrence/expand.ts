// Prints the result of every case in the time zone of this process.
import { parseCalendar } from '../../src/assistant/icalendar/parse.ts';
import { occurrences } from '../../src/assistant/icalendar/recurrence.ts';
import { ownCases } from './own-cases.ts';
import { rfcCases } from './rfc-examples.ts';

const nowMs = Date.UTC(2026, 0);
const results: Record<string, readonly string[]> = {};
for (const { name, calendar, fromMs, toMs, zone } of [...rfcCases, ...ownCases]) {
  const { events, problems } = await parseCalendar([{ pieces: [calendar] }], { nowMs });
  const errors = problems.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const found = events.flatMap(({ series }) => occurrences(series, { fromMs, toMs, zone }).occurrences);
  results[name] = [
    ...errors,
    ...found.map(({ startMs, details }) =>
      [`${new Date(startMs).toISOString().slice(0, 19)}Z`, details?.title].filter((part) => part).join(' '),
    ),
  ];
}
process.stdout.write(JSON.stringify({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone, results }));
