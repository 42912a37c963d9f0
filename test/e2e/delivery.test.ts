import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createStore, type Store } from '../../src/assistant/store/store.ts';
import { fill, meeting, minute, person, reminder } from '../assistant-rows.ts';
import { proveDelivery } from '../delivery-proof.ts';
import { bundle, Program } from '../program.ts';

const patience = { timeout: 20_000, interval: 50 };
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

describe('adjutant worker', () => {
  it('writes a real mail with the event into the outbox of a fresh machine, and ends when asked to', async () => {
    await using program = new Program(['worker']);
    await program.untilStderr(/delivering from/);
    await addReminder(storeOf(program), 'hello');
    await vi.waitFor(() => expect(outboxOf(program)).toEqual(['hello.eml']), patience);
    const mail = await PostalMime.parse(readFileSync(join(program.home, 'outbox', 'hello.eml')));
    expect(mail).toMatchObject({ subject: 'Soon: Meeting e1', to: [{ address: 'ada@example.com' }] });
    expect(mail.attachments).toMatchObject([{ filename: 'event.ics' }]);
    program.child.kill('SIGTERM');
    expect(await program.end()).toMatchObject({ code: 0 });
  });

  it('delivers what is due and ends with --once', async () => {
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
    ['MAIL_FROM', 'Me <me@example.com>', /delivery\.mail_from must be a mail address and nothing else/],
    ['SMTP_URL', 'mail.example.com', /delivery\.smtp_url must be an address with smtp:\/\/ or smtps:\/\//],
    ['PUBLIC_URL', 'example.com', /delivery\.public_url must be an address with http:\/\/ or https:\/\//],
  ])('does not begin with a setting %s that would fail every message', async (name, value, message) => {
    await using program = new Program(['worker', '--once'], {
      env: { [`ADJUTANT_DELIVERY_${name}`]: value },
    });
    await program.untilStderr(message);
    expect((await program.end()).code).toBeGreaterThan(0);
  });

  it('says what is wrong with a database and does not give up on it', async () => {
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
  it('delivers by itself, and lets a person confirm by a button but not by opening a link', async () => {
    await using program = new Program(['serve', '--http', '--port', '0'], {
      env: { ADJUTANT_DELIVERY_PUBLIC_URL: 'http://localhost' },
    });
    const [, origin] = await program.untilStderr(/MCP: {2}(http:\/\/[^/]+)\/mcp/);
    const store = storeOf(program);
    await addReminder(store, 'hello');
    await vi.waitFor(() => expect(outboxOf(program)).toEqual(['hello.eml']), patience);
    const mail = await PostalMime.parse(readFileSync(join(program.home, 'outbox', 'hello.eml')));
    expect(mail.text).toContain('http://localhost/acknowledge/hello');
    const acknowledged = () =>
      store.read((db) =>
        db
          .selectFrom('notifications')
          .select(['acknowledged_ms', 'acknowledged_by'])
          .executeTakeFirstOrThrow(),
      );
    const url = `${origin}/acknowledge/hello`;
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
    expect((await fetch(`${origin}/acknowledge/unknown`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${origin}/acknowledge/%E0%A4%A`, { method: 'POST' })).status).toBe(404);
  });

  it('begins no diary where nobody has one', async () => {
    await using program = new Program(['serve', '--http', '--port', '0']);
    await program.untilStderr(/ready/);
    expect(readdirSync(program.home)).not.toContain('adjutant.db');
  });
});

describe('workers that are killed', () => {
  it.each([
    ['sqlite', ['kill']],
    ['postgres', ['kill', 'cut', 'crash']],
  ] as const)(
    'on %s deliver everything, and nothing twice that was on record',
    async (engine, blows) => {
      const figures = await proveDelivery({
        engine,
        blows,
        notifications: 400,
        workers: 2,
        between: [20, 150],
        giveUpMs: 60_000,
      });
      expect(figures).toMatchObject({ delivered: 400, recorded: 400, repeatedOutside: 0 });
    },
    90_000,
  );
});
