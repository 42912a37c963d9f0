import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hostileInputs } from './corpus.ts';
import { HostileServer, type Transport } from './ping.ts';

const timeout = 300_000;

it('every hostile input is answered', { timeout }, async () => {
  await using server = await HostileServer.start('stdio');
  const wrong: unknown[] = [];
  for (const input of hostileInputs(1_000)) {
    const { name, answer } = await server.measure(input);
    const isInternal = /"kind":"internal"|"code":-32603/.test(answer);
    // Names and methods that are too long are errors of the protocol.
    const isWorkedOn =
      /"result"/.test(answer) &&
      !/[Uu]nknown tool|Prompt not found: loops|Invalid lint_prompts arguments: format/.test(answer);
    if (isInternal || !(isWorkedOn || input.name.startsWith('a long '))) wrong.push({ name, answer });
  }
  expect(wrong).toEqual([]);
});

/** Inputs of each kind whose work takes much longer than a ping. */
const slow = [
  'tests with slow regular expressions',
  'a template of nested brackets',
  'a library file of nested brackets',
  'a library file of unknown filters',
  'front matter of keys',
  'a library with a manifest of arguments',
  'rendering a few very slow steps',
  'vscode import of links',
  'a mounted vscode file of links',
  'a mounted gemini file of open shell commands',
  'lint of jsonl invalid lines',
  "the user's own prompts with invalid lines",
  'a calendar of invalid lines',
  'a calendar of slow rules',
  'a calendar of unusual rules',
  'a calendar of rules without a match',
  'a calendar of changed occurrences',
  'a calendar file of events',
  'the events of all these calendars',
  'the plan for all these calendars',
  'a meeting between all these events',
];
/** The work is the same on both transports, so one input is enough for the second one. */
const slowOnHttp = ['a template of nested brackets'];
const transports: readonly (readonly [Transport, readonly string[]])[] = [
  ['stdio', slow],
  ['HTTP', slowOnHttp],
];

it.each(transports)(
  'a ping on %s overtakes the work on hostile inputs',
  { timeout },
  async (transport, names) => {
    await using server = await HostileServer.start(transport);
    const inputs = hostileInputs(128 * 1024);
    const small = hostileInputs(1_000);
    const overtaken: string[] = [];
    for (const name of names) {
      const ofSize = name === 'a calendar of slow rules' ? small : inputs;
      const { answeredBefore } = await server.measure(ofSize.find((input) => input.name === name)!);
      if (answeredBefore > 0) overtaken.push(name);
    }
    expect(overtaken).toEqual(names);
  },
);

const large = hostileInputs(1024 * 1024);

it.each([
  'a template of a chain of slices',
  'a library file of nested brackets',
  'a calendar file of unknown time zones',
  "the user's own prompts with invalid lines",
  'jsonl import of invalid lines',
  'a calendar of slow rules',
  'a calendar of rules without a match',
  'rendering a few very slow steps',
  'tests with slow regular expressions',
])('SIGTERM ends the server during work on %s', { timeout }, async (name) => {
  await using server = await HostileServer.start('stdio');
  const input = large.find((one) => one.name === name)!;
  server.write(input);
  let isAnswered = false;
  const call = server.call(input.tool, input.args);
  call
    .then(() => {
      isAnswered = true;
    })
    // The server ends before it answers.
    .catch(() => {});
  await server.ping();
  expect(isAnswered).toBe(false);
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
