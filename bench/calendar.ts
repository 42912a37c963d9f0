// Imports a 50 MB calendar (or another size, given as the first argument) twice. Prints the duration, the longest time
// that the event loop was blocked, and the memory used.
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { addCalendar } from '../src/assistant/calendar/calendars.ts';
import { expandEvent } from '../src/assistant/calendar/expand-event.ts';
import { createUser } from '../src/assistant/editing/users.ts';
import { createStore } from '../src/store/store.ts';

const megabytes = Number(process.argv[2] ?? 50);
const folder = mkdtempSync(join(tmpdir(), 'adjutant-bench-'));
const source = join(folder, 'large.ics');

function* calendar(): Generator<string> {
  yield 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n';
  for (let index = 0, bytes = 0; bytes < megabytes * 1e6; index++) {
    const start = new Date(Date.UTC(2020, 0) + index * 18e6).toISOString().replaceAll(/[-:]|\.\d+Z/g, '');
    const event = [
      'BEGIN:VEVENT',
      `UID:event-${index}@example.com`,
      `DTSTART;TZID=Europe/Berlin:${start}`,
      'DURATION:PT1H',
      `SUMMARY:Meeting ${index}`,
      ...(index % 10 === 0 ? ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE'] : []),
      `DESCRIPTION:${'Agenda of this meeting, and who brings what.\\n '.repeat(3)}`,
      `LOCATION:Room ${index % 100}`,
      'ORGANIZER;CN=Boss:mailto:boss@example.com',
      'ATTENDEE;CN=A:mailto:a@example.com',
      'ATTENDEE;CN=B:mailto:b@example.com',
      'END:VEVENT',
      '',
    ].join('\r\n');
    bytes += event.length;
    yield event;
  }
  yield 'END:VCALENDAR\r\n';
}

const data = { store: createStore(join(folder, 'assistant.db')), clock: Date.now, occurrences: expandEvent };
try {
  await pipeline(Readable.from(calendar()), createWriteStream(source));
  await createUser(data, { id: 'ann', name: 'Ann' });
  const calendars = {
    data,
    options: {
      privateHosts: [],
      passwordsFile: join(folder, 'passwords'),
      maxBytes: megabytes * 2e6,
      intervalMs: 900_000,
    },
  };
  for (const round of ['first', 'again']) {
    let [longestMs, reports, last] = [0, 0, performance.now()];
    const timer = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last - 10);
      last = performance.now();
    }, 10);
    const began = performance.now();
    const [result] = await addCalendar(calendars, { userId: 'ann', source }, false, {
      progress: () => reports++,
    });
    const seconds = (performance.now() - began) / 1000;
    clearInterval(timer);
    const memory = Math.round(process.memoryUsage().rss / 1e6);
    console.log(
      `${round}: ${megabytes} MB in ${seconds.toFixed(1)} s, ${result!.changes.length} changes, ${result!.unchanged} unchanged, ` +
        `${reports} progress reports, event loop blocked for up to ${Math.round(longestMs)} ms, ${memory} MB of memory`,
    );
  }
} finally {
  await data.store.close();
  rmSync(folder, { recursive: true, force: true });
}
