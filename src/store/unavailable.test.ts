import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { messageOf } from '../json.ts';
import { inspectDatabase } from './inspect.ts';
import { createStore } from './store.ts';
import { unavailable } from './unavailable.ts';

async function readError(url: string): Promise<string> {
  const store = createStore(url);
  try {
    return await store.read(async () => 'no error').catch(messageOf);
  } finally {
    await store.close();
  }
}

/** Starts a server that is not PostgreSQL: it either never answers or closes every connection. */
async function listen(behaviour: 'silent' | 'closing') {
  const server = createServer((socket) => (behaviour === 'closing' ? socket.destroy() : socket.resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://me:hunter2@127.0.0.1:${port}/assistant`,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const advice =
  '; check that PostgreSQL is running, and the host and port in DATABASE_URL or assistant.database_url. Run adjutant doctor to see where this address is set.';

it('names an unreachable server and says what to check', async () => {
  const { url, close } = await listen('closing');
  const place = url.replace('hunter2', '(secret)');
  expect(await readError(url)).toBe(
    `The database ${place} cannot be reached: the connection was lost${advice}`,
  );
  await close();
  expect(await readError(url)).toBe(
    `The database ${place} cannot be reached: the connection was refused${advice}`,
  );
});

it('stops waiting for a server that does not respond', async () => {
  const { url, close } = await listen('silent');
  // Doctor itself calls this function, so its errors must not recommend running doctor.
  await expect(inspectDatabase(url, 50)).rejects.toThrow(
    /cannot be reached: it does not respond; check .* or assistant\.database_url\.$/,
  );
  await close();
});

it('reports that the database path is a folder', async () => {
  const folder = mkdtempSync(`${tmpdir()}/adjutant-folder-`);
  expect(await readError(folder)).toBe(`The database ${folder} is a folder; specify a file.`);
  rmSync(folder, { recursive: true });
});

it.each([
  ['ENOTFOUND', /its host name cannot be resolved; check .* host/],
  ['25006', /read-only/],
  ['28P01', /name and password in DATABASE_URL/],
  ['42501', /grant CREATE/],
  ['53100', /free some space/],
  ['53300', /max_connections/],
  ['57P01', /try again/],
  ['57P03', /try again/],
  ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
])('explains the error code %s and says what to do', (code, advised) => {
  expect(unavailable({ code }, 'here')).toMatchObject({
    kind: 'unavailable',
    message: expect.stringMatching(advised),
  });
});

it('returns errors unchanged if the database is not the cause', () => {
  const error = new Error('column "x" does not exist');
  expect(unavailable(error, 'here')).toBe(error);
  expect(unavailable({ code: '42703' }, 'here')).toEqual({ code: '42703' });
});
