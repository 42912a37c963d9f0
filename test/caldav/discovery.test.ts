import { createSocket, type Socket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAssistant } from '../open-assistant.ts';
import { type ProofServer, proofServers } from './proof.ts';
import { password } from './radicale.ts';

/** Records of a real DNS server on loopback: SRV as `[priority, weight, port, host]`, TXT as text. */
type Zone = Readonly<
  Record<
    string,
    { readonly SRV?: readonly (readonly [number, number, number, string])[]; readonly TXT?: string }
  >
>;
const types = { 16: 'TXT', 33: 'SRV' } as const;

function nameBytes(name: string): Buffer {
  const labels = name === '.' ? [] : name.split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}

/** Answers one question as RFC 1035 says. */
function answer(query: Buffer, zone: Zone): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (; query[at] !== 0; at += query[at]! + 1)
    labels.push(query.subarray(at + 1, at + 1 + query[at]!).toString());
  const end = at + 5;
  const type = types[query.readUInt16BE(at + 1) as keyof typeof types];
  const found = zone[labels.join('.').toLowerCase()];
  const data =
    type === 'SRV'
      ? (found?.SRV ?? []).map(([priority, weight, port, host]) => {
          const numbers = Buffer.alloc(6);
          for (const [index, value] of [priority, weight, port].entries())
            numbers.writeUInt16BE(value, 2 * index);
          return Buffer.concat([numbers, nameBytes(host)]);
        })
      : type === 'TXT' && found?.TXT !== undefined
        ? [Buffer.concat([Buffer.from([found.TXT.length]), Buffer.from(found.TXT)])]
        : [];
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(found === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(data.length, 6);
  header.fill(0, 8, 12);
  const records = data.map((bytes) => {
    const head = Buffer.from([0xc0, 12, 0, 0, 0, 1, 0, 0, 0, 60, 0, 0]);
    query.copy(head, 2, at + 1, at + 3);
    head.writeUInt16BE(bytes.length, 10);
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([header, query.subarray(12, end), ...records]);
}

const folder = mkdtempSync(join(tmpdir(), 'adjutant-discovery-'));
const passwordsFile = join(folder, 'passwords');
writeFileSync(passwordsFile, `machine localhost login ann password "${password}"\n`);
let zone: Zone = {};
let socket: Socket;
const before = getServers();
beforeAll(async () => {
  socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answer(query, zone), port, address));
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  setServers([`127.0.0.1:${socket.address().port}`]);
});
afterAll(async () => {
  setServers(before);
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(privateHosts: readonly string[] = ['localhost']) {
  const calendars = { privateHosts, passwordsFile, maxBytes: 1e7, intervalMs: 900_000 };
  const assistant = openAssistant({ calendars });
  await assistant.call('create_user', { id: 'ann', name: 'Ann', timezone: 'Europe/Berlin' });
  return assistant;
}

for (const [name, { isInstalled, start }] of Object.entries(proofServers))
  describe.skipIf(!isInstalled)(`the calendars of a mail address on ${name}`, () => {
    let server: ProofServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.close());

    it('are found with the DNS records of the domain', async () => {
      const { port, pathname } = new URL(server.url);
      zone = {
        '_caldavs._tcp.example.test': { SRV: [[0, 0, 0, '.']] },
        '_caldav._tcp.example.test': {
          SRV: [
            [20, 0, 9, 'other.example.test'],
            [10, 5, Number(port), 'localhost'],
          ],
          TXT: `path=${pathname}`,
        },
      };
      await using assistant = await open();
      const added = await assistant.call('add_calendar', {
        ...{ user_id: 'ann', source: 'ann@example.test', username: 'ann' },
      });
      expect(added['calendars']).toMatchObject([
        { kind: 'caldav', source: `http://localhost:${port}${pathname}`, kept_up_to_date: true },
      ]);
    });
  });

it('sends no password to a host that is not in the passwords file, whatever the DNS says', async () => {
  const { startProxy } = await import('./proxy.ts');
  const proxy = await startProxy('http://127.0.0.1:9');
  const seen: unknown[] = [];
  proxy.intercept = async ({ headers }) => {
    seen.push(headers['authorization']);
    return new Response('', { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } });
  };
  zone = {
    '_caldav._tcp.evil.test': { SRV: [[0, 0, Number(new URL(proxy.url).port), '127.0.0.1.']] },
  };
  await using assistant = await open(['127.0.0.1', '127.0.0.1.']);
  await expect(assistant.call('add_calendar', { user_id: 'ann', source: 'ann@evil.test' })).rejects.toThrow();
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen)).toEqual(new Set([undefined]));
  await proxy.close();
});

it('says what to do if a domain does not name its calendars', async () => {
  zone = {};
  await using assistant = await open();
  await expect(
    assistant.call('add_calendar', { user_id: 'ann', source: 'ann@nothing.invalid' }),
  ).rejects.toThrow(
    /nothing\.invalid does not say where its calendars are.*Give the address of the CalDAV server/s,
  );
});
