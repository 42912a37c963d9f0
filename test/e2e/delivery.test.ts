import { execFileSync } from 'node:child_process';
import events from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore, type Store } from '../../src/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../assistant-rows.ts';
import { bundle, initialize, Program } from '../program.ts';
import { proveDelivery } from '../prove/parts/delivery-proof.ts';

const waitOptions = { timeout: 20_000, interval: 50 };
let stores: Store[] = [];
afterEach(async () => {
  for (const store of stores) await store.close();
  stores = [];
});

function storeOf({ home }: Program): Store {
  const store = createStore(join(home, 'adjutant.db'));
  stores.push(store);
  return store;
}

function addReminder(store: Store, id: string, more: Parameters<typeof reminder>[2] = {}): Promise<void> {
  const now = Date.now();
  const event = meeting('e1', 'ada', now + 60 * minute);
  return fill(store, {
    users: [person('ada', { channel_pref: 'email' })],
    events: [event],
    notifications: [reminder(event, now, { id, ...more })],
  });
}

function outboxOf({ home }: Program): string[] {
  try {
    return readdirSync(join(home, 'outbox')).filter((name) => !name.endsWith('.part'));
  } catch {
    return [];
  }
}

describe('a server on stdio without a worker', () => {
  interface Problem {
    readonly severity: string;
    readonly message: string;
    readonly remedy?: string;
  }

  /** The problems that both tools report. A problem of the severity error makes the server unhealthy. */
  async function problemsOf(program: Program): Promise<readonly Problem[]> {
    program.send(initialize());
    const call = async <Result>(name: string) => {
      const { result } = await program.request('tools/call', { name, arguments: {} });
      return (result as { structuredContent: Result }).structuredContent;
    };
    const { problems } = await call<{ problems: Problem[] }>('server_status');
    const { healthy, findings } = await call<{ healthy: boolean; findings: { remedy?: string }[] }>(
      'check_health',
    );
    for (const { severity, message, remedy } of problems) {
      const state = severity === 'error' ? 'bad' : 'warning';
      const finding = { title: 'Reminders', detail: message, state, remedy: expect.any(String) };
      expect(findings).toContainEqual(finding);
      // The page shows the whole command of this machine.
      const commands = findings.map(({ remedy: own }) =>
        own?.replaceAll(/\S+ \S*adjutant\.cjs /g, 'adjutant '),
      );
      expect(commands).toContain(remedy);
      if (state === 'bad') expect(healthy).toBe(false);
    }
    return problems;
  }

  it('reports overdue reminders and how to start a worker', async () => {
    await using program = new Program(['serve'], { env: { ADJUTANT_DELIVERY_WEBHOOK_SECRET: 'x' } });
    const now = Date.now();
    const event = meeting('e1', 'ada', now + 60 * minute);
    await fill(storeOf(program), {
      users: [person('ada', { channel_pref: 'webhook', webhook_url: 'https://example.com/' })],
      events: [event],
      notifications: [reminder(event, now + 5 * minute), reminder(event, now - 8 * minute, { id: 'due' })],
    });
    expect(await problemsOf(program)).toMatchObject([
      {
        severity: 'error',
        message: expect.stringMatching(/^1 reminder is overdue, since .*no worker/),
        remedy: expect.stringContaining('adjutant worker'),
      },
    ]);
  });

  it.each([
    [
      'without a provider',
      { channel_pref: 'ntfy', ntfy_topic: 'ada' } as const,
      [
        'error',
        /^Name of ada prefers ntfy, but delivery\.ntfy_url is not set.*outbox/,
        /set delivery\.ntfy_url/,
      ],
    ],
    [
      'of the default kind without a provider',
      {},
      ['warning', /^Name of ada prefers email, but delivery\.smtp_url is not set/, /set delivery\.smtp_url/],
    ],
    [
      'without an address',
      { channel_pref: 'telegram' } as const,
      ['warning', /^Name of ada prefers telegram, but has no address for it/, /adjutant users update ada/],
    ],
    [
      'without any address',
      { channel_pref: 'telegram', email: null, phone_e164: null } as const,
      ['error', /^Name of ada has no address on any channel/, /adjutant users update ada/],
    ],
  ] as const)('reports a preferred channel %s', async (_, preference, [severity, message, remedy]) => {
    await using program = new Program(['serve']);
    await fill(storeOf(program), {
      users: [person('ada', preference), person('idle', { channel_pref: 'webhook' })],
      events: [meeting('e1', 'ada', Date.now() + 60 * minute)],
    });
    expect(await problemsOf(program)).toMatchObject([
      { severity, message: expect.stringMatching(message), remedy: expect.stringMatching(remedy) },
    ]);
  });
});

describe('adjutant worker', () => {
  it('writes a mail with the event to the outbox on a fresh machine, and stops on SIGTERM', async () => {
    await using program = new Program(['worker']);
    await program.untilStderr(/delivering from/);
    await addReminder(storeOf(program), 'hello');
    await vi.waitFor(() => expect(outboxOf(program)).toEqual(['hello.eml']), waitOptions);
    const mail = await PostalMime.parse(readFileSync(join(program.home, 'outbox', 'hello.eml')));
    expect(mail).toMatchObject({ subject: 'Soon: Meeting e1', to: [{ address: 'ada@example.com' }] });
    expect(mail.attachments).toMatchObject([{ filename: 'event.ics' }]);
    program.child.kill('SIGTERM');
    expect(await program.end()).toMatchObject({ code: 0 });
  });

  it('stops on SIGTERM although a receiver does not answer', async () => {
    const requests: unknown[] = [];
    const receiver = createServer((request) => requests.push(request)).listen(0, '127.0.0.1');
    await events.once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    await using program = new Program(['worker'], {
      env: {
        ADJUTANT_DELIVERY_WEBHOOK_SECRET: 'x',
        ADJUTANT_DELIVERY_PRIVATE_HOSTS: '127.0.0.1',
      },
    });
    await program.untilStderr(/delivering from/);
    const now = Date.now();
    const event = meeting('e1', 'ada', now + 60 * minute);
    await fill(storeOf(program), {
      users: [person('ada', { channel_pref: 'webhook', webhook_url: `http://127.0.0.1:${port}/` })],
      events: [event],
      notifications: [reminder(event, now, { id: 'unanswered', channel: 'webhook' })],
    });
    await vi.waitFor(() => expect(requests).toHaveLength(1), waitOptions);
    program.child.kill('SIGTERM');
    expect((await program.end()).stderr).toContain('exiting although some work is not finished');
    receiver.closeAllConnections();
    receiver.close();
  });

  it('delivers due notifications and exits with --once', async () => {
    const home = mkdtempSync(join(tmpdir(), 'adjutant-once-'));
    const once = () =>
      execFileSync(process.execPath, [bundle, 'worker', '--once', '--home', home], { encoding: 'utf8' });
    expect(once()).toBe('0 notifications handled\n');
    const store = createStore(join(home, 'adjutant.db'));
    await addReminder(store, 'hello');
    await store.close();
    expect(once()).toBe('1 notification handled\n');
    expect(readdirSync(join(home, 'outbox'))).toEqual(['hello.eml']);
    rmSync(home, { recursive: true, force: true });
  });

  it.each([
    ['MAIL_FROM', 'Me <me@example.com>', /delivery\.mail_from must be a plain email address/],
    ['SMTP_URL', 'mail.example.com', /delivery\.smtp_url must be an address with smtp:\/\/ or smtps:\/\//],
    ['PUBLIC_URL', 'example.com', /delivery\.public_url must be an address with http:\/\/ or https:\/\//],
  ])('does not start with an invalid setting %s', async (name, value, message) => {
    await using program = new Program(['worker', '--once'], {
      env: { [`ADJUTANT_DELIVERY_${name}`]: value },
    });
    await program.untilStderr(message);
    expect((await program.end()).code).toBeGreaterThan(0);
  });

  it('reports an unreachable database and keeps trying', async () => {
    await using program = new Program(['worker'], {
      env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' },
    });
    await program.untilStderr(/127\.0\.0\.1:9\/none cannot be reached/);
    expect(program.child.exitCode).toBeNull();
    program.child.kill('SIGTERM');
    expect(await program.end()).toMatchObject({ code: 0 });
  });
});

describe('adjutant serve --http', () => {
  it('delivers notifications, and acknowledges on a button or key press but not on opening the link', async () => {
    await using program = new Program(['serve', '--http', '--port', '0'], {
      env: { ADJUTANT_DELIVERY_PUBLIC_URL: 'http://localhost' },
    });
    const [, origin] = await program.untilStderr(/MCP: {2}(http:\/\/[^/]+)\/mcp/);
    const store = storeOf(program);
    await addReminder(store, 'hello');
    await vi.waitFor(() => expect(outboxOf(program)).toEqual(['hello.eml']), waitOptions);
    const mail = await PostalMime.parse(readFileSync(join(program.home, 'outbox', 'hello.eml')));
    const [, link] = /http:\/\/localhost(\/acknowledge\/[\w-]{43})\s/.exec(mail.text!)!;
    const acknowledged = () =>
      store.read((db) =>
        db
          .selectFrom('notifications')
          .select(['acknowledged_ms', 'acknowledged_by'])
          .executeTakeFirstOrThrow(),
      );
    const url = `${origin}${link}`;
    expect(await (await fetch(url)).text()).toContain('<button>');
    expect((await acknowledged()).acknowledged_ms).toBeNull();
    const wrong = await fetch(url, { method: 'POST', body: new URLSearchParams({ Digits: '5' }) });
    expect(await wrong.text()).toContain('not confirmed');
    expect((await acknowledged()).acknowledged_ms).toBeNull();
    const spoken = await fetch(url, { method: 'POST', body: new URLSearchParams({ Digits: '1' }) });
    expect(await spoken.text()).toContain('<Response><Say>Thank you.');
    expect(await acknowledged()).toMatchObject({
      acknowledged_by: 'call',
      acknowledged_ms: expect.any(Number),
    });
    expect((await fetch(`${origin}/acknowledge/hello`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${origin}/acknowledge/%E0%A4%A`, { method: 'POST' })).status).toBe(404);
  });

  it('does not create a database on a fresh machine', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    await program.untilStderr(/ready/);
    expect(readdirSync(program.home)).not.toContain('adjutant.db');
  });
});

describe('workers that are killed at random', () => {
  it.each([
    ['sqlite', ['kill']],
    ['postgres', ['kill', 'cut', 'crash']],
  ] as const)(
    'on %s deliver everything, and repeat nothing that was recorded',
    async (engine, faults) => {
      const result = await proveDelivery({
        engine,
        faults,
        notifications: 400,
        workers: 2,
        arrivalsBetween: [20, 150],
        timeoutMs: 60_000,
      });
      expect(result).toMatchObject({ delivered: 400, recorded: 400, repeatedOutside: 0 });
    },
    90_000,
  );
});
