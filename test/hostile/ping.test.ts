import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostileInputs } from './corpus.ts';
import { HostileServer, type Transport } from './ping.ts';

const timeout = 300_000;
/** Without limits, these inputs take minutes. The limit is generous because the machine may be busy. */
const maxPingMs = 60_000;
const inputs = hostileInputs(50_000);
const transports: readonly Transport[] = ['stdio', 'HTTP'];

it.each(transports)(
  'pings on %s are answered during work on hostile inputs',
  { timeout },
  async (transport) => {
    await using server = await HostileServer.start(transport);
    await using idle = await HostileServer.start(transport);
    const wrong: unknown[] = [];
    for (const input of inputs) {
      const delay = await server.measure(input, idle);
      const isWorkedOn =
        /"result"/.test(delay.answer) &&
        !/Invalid \w+ arguments|[Uu]nknown tool|Prompt not found: /.test(delay.answer);
      if (!isWorkedOn || delay.worstPingMs > maxPingMs) wrong.push(delay);
    }
    expect(wrong).toEqual([]);
  },
);

const large = hostileInputs(1024 * 1024);

it.each([
  'a template of a chain of slices',
  'a calendar of unknown time zones',
  'a JSONL import of invalid lines',
  'a calendar of slow rules',
  'rendering a few very slow steps',
])('SIGTERM ends the server during work on %s', { timeout }, async (name) => {
  await using server = await HostileServer.start('stdio');
  const input = large.find((one) => one.name === name)!;
  server.write(input);
  const { tool, args } = input;
  void server.call(tool, args).catch(() => {});
  await server.ping();
  server.peer.child.kill('SIGTERM');
  await once(server.peer.child, 'exit');
  expect(server.peer.child.signalCode).toBeNull();
});

it.each(['pipe', 'device'])(
  'SIGTERM ends the server during the import of a %s',
  { timeout },
  async (kind) => {
    await using server = await HostileServer.start('stdio');
    const source = join(server.home, 'calendar.ics');
    if (kind === 'pipe') execFileSync('mkfifo', [source]);
    else symlinkSync('/dev/zero', source);
    void server.call('import_calendar', { user_id: 'ann', source }).catch(() => {});
    await server.ping();
    server.peer.child.kill('SIGTERM');
    await once(server.peer.child, 'exit');
    expect(server.peer.child.signalCode).toBeNull();
  },
);
