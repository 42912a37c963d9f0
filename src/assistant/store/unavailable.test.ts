import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { messageOf } from '../../json.ts';
import { inspectDatabase } from './inspect.ts';
import { createStore } from './store.ts';
import { unavailable } from './unavailable.ts';

async function refusalOf(url: string): Promise<string> {
  const store = createStore(url);
  try {
    return await store.read(async () => 'it is there').catch(messageOf);
  } finally {
    await store.close();
  }
}

/** A server of another kind: it takes connections and does nothing, or ends them. */
async function listening(onConnection: 'silent' | 'rude') {
  const server = createServer((socket) => (onConnection === 'rude' ? socket.destroy() : socket.resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://me:hunter2@127.0.0.1:${port}/diary`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const wayOut =
  '; check that PostgreSQL runs, and the host and the port in DATABASE_URL or assistant.database_url. Run adjutant doctor to see where that address comes from.';

it('a server that is not there is named, and what to check about it', async () => {
  const { url, close } = await listening('rude');
  const place = url.replace('hunter2', '(secret)');
  expect(await refusalOf(url)).toBe(`The database ${place} cannot be reached: the connection broke${wayOut}`);
  await close();
  expect(await refusalOf(url)).toBe(
    `The database ${place} cannot be reached: nothing listens there${wayOut}`,
  );
});

it('a server that does not answer is not waited for', async () => {
  const { url, close } = await listening('silent');
  // Who looks is where the advice would lead.
  await expect(inspectDatabase(url, 50)).rejects.toThrow(
    /cannot be reached: it does not answer; check .* or assistant\.database_url\.$/,
  );
  await close();
});

it('a folder in place of a file says what it is', async () => {
  const folder = mkdtempSync(`${tmpdir()}/adjutant-folder-`);
  expect(await refusalOf(folder)).toBe(`The database ${folder} is a folder; name a file in it.`);
  rmSync(folder, { recursive: true });
});

it.each([
  ['ENOTFOUND', /its host is not known here; check .* host/],
  ['25006', /read-only/],
  ['28P01', /name and password in DATABASE_URL/],
  ['42501', /grant it/],
  ['53100', /make room/],
  ['53300', /max_connections/],
  ['57P01', /try again/],
  ['57P03', /try again/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
])('%s comes with a way out', (code, way) => {
  expect(unavailable({ code }, 'here')).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(way),
  });
});

it('what is no trouble of the database stays as it came', () => {
  const error = new Error('column "x" does not exist');
  expect(unavailable(error, 'here')).toBe(error);
  expect(unavailable({ code: '42703' }, 'here')).toEqual({ code: '42703' });
});
