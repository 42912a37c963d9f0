import { execFileSync } from 'node:child_process';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { openAssistant } from '../../../test/open-assistant.ts';

/** A server that sends the lines of an event for ever, so that no single read takes long. */
async function startEndless() {
  const open = new Set<ServerResponse>();
  const server = createServer((_, response) => {
    open.add(response.writeHead(200, { 'content-type': 'text/calendar' }));
    response.write('BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:slow\r\nDTSTART:20261117T090000Z\r\n');
    const timer = setInterval(() => response.write('COMMENT:wait\r\n'), 20);
    response.once('close', () => {
      open.delete(response);
      clearInterval(timer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/slow.ics`,
    open,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

it('ends an import at its time limit, closes the connection and stores nothing', async () => {
  await using server = await startEndless();
  await using assistant = openAssistant({
    calendars: {
      ...{ privateHosts: ['127.0.0.1'], passwordsFile: '/nonexistent', maxBytes: 1e9 },
      ...{ intervalMs: 900_000, timeLimitMs: 600 },
    },
  });
  await assistant.call('create_user', { id: 'ann', name: 'Ann' });
  for (const tool of ['import_calendar', 'add_calendar'])
    await expect(assistant.call(tool, { user_id: 'ann', source: server.url })).rejects.toThrow(
      'took longer than 0.01 minutes',
    );
  await expect.poll(() => server.open.size).toBe(0);
  expect(await assistant.call('list_events', {})).toMatchObject({ count: 0 });
});

it('does not wait for a named pipe', async () => {
  await using assistant = openAssistant();
  await assistant.call('create_user', { id: 'ann', name: 'Ann' });
  const pipe = join(dirname(assistant.file), 'pipe.ics');
  execFileSync('mkfifo', [pipe]);
  await expect(assistant.call('import_calendar', { user_id: 'ann', source: pipe })).rejects.toThrow(
    'is neither a file nor a folder',
  );
});
