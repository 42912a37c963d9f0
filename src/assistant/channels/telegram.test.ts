import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fill, meeting, minute, noon, person, reminder } from '../../../test/assistant-rows.ts';
import { channelConfig } from '../../../test/channel-config.ts';
import { importComponent } from '../../../test/components.ts';
import { createStore, type Store } from '../../store/store.ts';
import { expandEvent } from '../calendar/expand-event.ts';
import { createListeners, createResponses } from '../delivery/acknowledge.ts';
import { createDelivery } from '../delivery/delivery.ts';
import { acknowledgeNotification } from '../editing/notifications.ts';

const token = 'secret-token';

/** The parts of telegram-test-api that the tests use. */
interface TelegramServer {
  readonly config: { readonly apiURL: string };
  readonly storage: { readonly botMessages: { readonly messageId: number; readonly message: BotMessage }[] };
  start(): Promise<void>;
  stop(): Promise<unknown>;
  getClient(token: string, options: object): TelegramClient;
}
interface BotMessage {
  readonly chat_id: string;
  readonly text: string;
  readonly reply_markup?: {
    readonly inline_keyboard: { readonly text: string; readonly callback_data: string }[][];
  };
}
interface TelegramClient {
  makeCallbackQuery(data: string, options?: object): object;
  sendCallback(query: object): Promise<unknown>;
  makeCommand(text: string): object;
  sendCommand(command: object): Promise<unknown>;
}

let folder: string;
let server: TelegramServer;
let store: Store;
let now: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'adjutant-telegram-'));
  const { TelegramServer: Server } = (await importComponent(
    'telegram-test-api/lib/telegramServer.js',
  )) as unknown as {
    TelegramServer: new (options: object) => TelegramServer;
  };
  server = new Server({ port: await freePort(), host: '127.0.0.1' });
  await server.start();
  store = createStore(join(folder, 'adjutant.db'));
  now = noon;
});
afterEach(async () => {
  await server.stop();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

const config = () =>
  channelConfig(folder, { 'delivery.telegram_url': server.config.apiURL, 'delivery.telegram_token': token });
const data = () => ({ store, clock: () => now, occurrences: expandEvent });
const rows = () =>
  store.read((db) => db.selectFrom('notifications').selectAll().orderBy('plan_ms').execute());
const ada = () => person('ada', { channels: JSON.stringify(['tgram://77', 'slack://a/b/c']), locale: 'de' });
const event = meeting('e', 'ada', noon + 60 * minute);
const options = { privateHosts: [], passwordsFile: '/nonexistent', maxBytes: 1000, intervalMs: 900_000 };
const poller = (owner = 'one') =>
  createListeners(config(), {
    data: data(),
    responses: createResponses({ data: data(), options }),
    owner,
  })[0]!;
/** Presses a button of the first message as this user, in this chat. In a private chat, both have the same id. */
const press = async (index: number, chatId = 77, userId = chatId) => {
  const { messageId, message } = server.storage.botMessages[0]!;
  const client = server.getClient(token, { chatId, userId, type: chatId < 0 ? 'group' : 'private' });
  const button = message.reply_markup!.inline_keyboard[0]![index]!;
  const query = { message: { message_id: messageId, text: message.text } };
  await client.sendCallback(client.makeCallbackQuery(button.callback_data, query));
};

/** Sends one reminder to Telegram and keeps another for later. */
async function sendReminder(): Promise<void> {
  const soon = reminder(event, noon, { channel: 'telegram' });
  await fill(store, {
    users: [ada()],
    events: [event],
    notifications: [soon, reminder(event, noon + 50 * minute, { channel: 'telegram' })],
  });
  await runOnce();
}

async function runOnce(): Promise<void> {
  const delivery = createDelivery({
    databaseUrl: join(folder, 'adjutant.db'),
    policy: { name: 'rules', timeoutMs: 1000 },
    calendars: { privateHosts: [], passwordsFile: join(folder, 'none'), maxBytes: 1000, intervalMs: 900_000 },
    channels: config(),
    publicUrl: 'https://example.org/reminders',
    slots: 4,
    leaseMs: 60_000,
    clock: () => now,
  });
  await delivery.once();
  await delivery.stop();
}

it('sends a message with buttons in the language of the user', async () => {
  await sendReminder();
  const [sent] = server.storage.botMessages;
  expect(sent!.message).toMatchObject({ chat_id: '77', text: expect.stringContaining('Soon: Meeting e') });
  expect(sent!.message.reply_markup!.inline_keyboard[0]!.map(({ text }) => text)).toEqual([
    'OK',
    'In 10 Min.',
  ]);
  expect((await rows())[0]).toMatchObject({ status: 'sent', channel: 'telegram' });
});

it('acknowledges with a button, ends the other reminders and removes the buttons', async () => {
  await sendReminder();
  await press(0);
  await poller().pollOnce();
  expect(await rows()).toMatchObject([{ acknowledged_by: 'telegram' }, { status: 'cancelled' }]);
  expect(server.storage.botMessages[0]!.message.text).toMatch(/Bestätigt$/);
});

it('snoozes with a button', async () => {
  await sendReminder();
  await press(1);
  await poller().pollOnce();
  const snoozed = (await rows()).find(({ origin }) => origin === 'snooze');
  expect(snoozed).toMatchObject({ plan_ms: noon + 10 * minute, channel: 'telegram', status: 'planned' });
});

it('handles buttons in a single round as well', async () => {
  await sendReminder();
  await press(0);
  await runOnce();
  expect(await rows()).toMatchObject([{ acknowledged_by: 'telegram' }, { status: 'cancelled' }]);
});

it('ignores buttons that another chat presses', async () => {
  await sendReminder();
  await press(0, 78);
  await poller().pollOnce();
  expect((await rows()).map(({ acknowledged_ms }) => acknowledged_ms)).toEqual([null, null]);
});

it('ignores a button that somebody else presses in the chat of the person', async () => {
  await sendReminder();
  await press(0, 77, 78);
  await poller().pollOnce();
  expect((await rows()).map(({ acknowledged_ms }) => acknowledged_ms)).toEqual([null, null]);
});

it('sends reminders to a group without a button or a link to confirm, because everybody could use them', async () => {
  await sendReminder();
  expect(server.storage.botMessages[0]!.message.reply_markup).toBeDefined();
  const group = -1001234;
  await store.run(sql`update users set channels = ${JSON.stringify([`tgram://${group}`])} returning id`);
  now += minute;
  await fill(store, { notifications: [reminder(event, now, { id: 'in-group', channel: 'telegram' })] });
  await runOnce();
  const { message } = server.storage.botMessages[1]!;
  expect(message).toMatchObject({ chat_id: String(group), text: expect.stringContaining('Soon: Meeting e') });
  expect(message.reply_markup).toBeUndefined();
  expect(message.text).not.toContain('https://');
  // A message of an earlier version still has buttons.
  await press(0, group, 77);
  await poller().pollOnce();
  expect((await rows()).filter(({ acknowledged_ms }) => acknowledged_ms !== null)).toEqual([]);
});

it('polls in one process at a time, and another one takes over when it has died', async () => {
  await fill(store, { users: [ada()] });
  expect(await poller('one').pollOnce()).toBe(true);
  expect(await poller('two').pollOnce()).toBe(false);
  expect(await poller('one').pollOnce()).toBe(true);
  now += 2 * minute;
  expect(await poller('two').pollOnce()).toBe(true);
});

it('shows in the chat that a reminder was acknowledged elsewhere', async () => {
  await sendReminder();
  await poller().pollOnce();
  now += minute;
  await acknowledgeNotification(data(), (await rows())[0]!.id, 'link');
  await poller().pollOnce();
  expect(server.storage.botMessages[0]!.message.text).toMatch(/Bestätigt$/);
});

it('tells a person the address of the chat', async () => {
  await fill(store, { users: [ada()] });
  const client = server.getClient(token, { chatId: 99 });
  await client.sendCommand(client.makeCommand('/start'));
  await poller().pollOnce();
  expect(server.storage.botMessages.at(-1)!.message).toMatchObject({
    text: expect.stringContaining('tgram://99'),
  });
});
