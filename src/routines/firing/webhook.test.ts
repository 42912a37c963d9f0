import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { openRoutines, type RoutineBench } from '../../../test/routine-bench.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A routine with a webhook, and an HTTP server that receives its requests. */
async function openHook(bench: RoutineBench, fields: JsonObject = {}) {
  const { webhook } = await bench.create('webhook', fields);
  const server = createServer((request, response) => {
    void bench.feature.http!.serve(request.url!, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${webhook.path}`;
  const send = async (body: string, headers: Record<string, string>) => {
    const response = await fetch(url, { method: 'POST', body, headers });
    return `${response.status} ${(await response.text()).trim()}`;
  };
  const sign = (text: string, secret: string) => createHmac('sha256', secret).update(text).digest('hex');
  return {
    path: webhook.path as string,
    /** With a signature like that of GitHub, which has no time. */
    github: (body: string, headers: Record<string, string> = {}, secret: string = webhook.secret) =>
      send(body, { 'x-hub-signature-256': `sha256=${sign(body, secret)}`, ...headers }),
    own(body: string) {
      const seconds = Math.floor(bench.now / 1000);
      const signature = `t=${seconds},v1=${sign(`${seconds}.${body}`, webhook.secret)}`;
      return send(body, { 'x-adjutant-signature': signature });
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('a request with the signature of GitHub does not fire again after the history was deleted', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  expect(await hook.own('timed')).toBe('202 Accepted.');
  await bench.pass(2 * minute, minute);
  expect(await hook.github('opened')).toBe('202 Accepted.');
  await bench.pass(2 * minute, minute);
  const before = bench.runs.started.length;
  await bench.pass(100 * day, 50 * day);
  expect(await hook.github('opened')).toBe('202 Received before.');
  await bench.pass(minute);
  expect(bench.runs.started).toHaveLength(before);
  const history = await bench.history();
  expect(history).toHaveLength(1);
  expect(history[0]).not.toHaveProperty('result');
  expect(await hook.github('closed')).toBe('202 Accepted.');
});

it('a request that was seen does not pass for one of GitHub, whose signature has no time', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  expect(await hook.own('opened')).toBe('202 Accepted.');
  const seconds = Math.floor(bench.now / 1000);
  await bench.pass(10 * minute);
  // Both signatures cover the same bytes: the text before the body is part of one, and of the other's body.
  expect(await hook.github(`${seconds}.opened`)).toMatch(/^401/);
  expect(await bench.history()).toHaveLength(1);
});

it('the ping with which GitHub tests a webhook starts nothing', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  expect(await hook.github('{"zen":"Keep it simple."}', { 'x-github-event': 'ping' })).toBe('200 OK.');
  expect(await hook.github('{}', { 'x-github-event': 'ping' }, 'wrong')).toMatch(/^401/);
  await bench.pass(minute);
  expect(bench.runs.started).toEqual([]);
  expect(await bench.history()).toEqual([]);
});

it('a request during a run is skipped, answered so and reported once the run has ended; it can be sent again', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  bench.runs.outcome = 'open';
  expect(await hook.github('one')).toBe('202 Accepted.');
  await bench.feature.once();
  for (const body of ['two', 'three', 'two'])
    expect(await hook.github(body)).toMatch(/^409 Skipped, because/);
  expect(await hook.github('one')).toBe('202 Received before.');
  await bench.pass(minute);
  expect(bench.messages).toEqual([]);
  bench.runs.endAll();
  await bench.pass(minute);
  await bench.pass(minute);
  expect(bench.messages.map(({ title, text }) => [title, text])).toEqual([
    [{ kind: 'finished', name: 'brief (notes)' }, 'Result of run-1'],
    [
      { kind: 'missed', name: 'brief (notes)' },
      expect.stringMatching(/^It missed 2 times, .* missed: the run before it was still in progress$/),
    ],
  ]);
  expect(await bench.history()).toHaveLength(3);
  expect(await hook.github('two')).toBe('202 Accepted.');
  await bench.feature.once();
  expect(bench.runs.started).toHaveLength(2);
});

it('a second request before the first has started is skipped as well', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  expect(await hook.github('one')).toBe('202 Accepted.');
  expect(await hook.github('two')).toMatch(/^409/);
});

it('requests during a run wait for its end with overlap queue', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench, { overlap: 'queue' });
  bench.runs.outcome = 'open';
  for (const body of ['one', 'two']) {
    expect(await hook.github(body)).toBe('202 Accepted.');
    await bench.feature.once();
  }
  bench.runs.endAll();
  await bench.pass(2 * minute, minute);
  expect(bench.runs.started).toHaveLength(2);
});

it('a new secret ends the old one, and only a person may replace it', async () => {
  await using bench = openRoutines();
  await using hook = await openHook(bench);
  const { webhook } = await bench.call('update_routine', { routine: 'brief', new_secret: true });
  expect(webhook).toMatchObject({ secret: expect.stringMatching(/^[\w-]{43}$/), path: hook.path });
  expect(await hook.github('one')).toMatch(/^401/);
  expect(await hook.github('one', {}, webhook.secret)).toBe('202 Accepted.');
  const model = connectMemory(bench.server, { access: undefined as never });
  const replace = { routine: 'brief', new_secret: true, task: 'evil' };
  const refused = await model.request('tools/call', { name: 'update_routine', arguments: replace });
  expect(JSON.stringify(refused['content'])).toContain('Only a person may replace the secret');
  expect(await hook.github('two', {}, webhook.secret)).not.toMatch(/^401/);
  const { routines } = await bench.call('list_routines');
  expect(routines[0]).toMatchObject({ status: 'active', task: 'Write a brief' });
});

it('a routine without a webhook has no secret to replace', async () => {
  await using bench = openRoutines();
  await bench.create('every hour');
  await expect(bench.call('update_routine', { routine: 'brief', new_secret: true })).rejects.toThrow(
    /has no secret/,
  );
});
