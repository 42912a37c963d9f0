import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import { messageOf, present } from '../../json.ts';
import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';
import { storageReason } from '../../storage-error.ts';
import { newId } from '../../store/id.ts';
import type { Channel as ChannelName, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { withoutPassword } from '../../without-password.ts';
import {
  addressFlag,
  type ChannelConfig,
  channels,
  findChannel,
  maskAddress,
  parseAddress,
  reachableBy,
} from '../entities/channels.ts';
import { auditRows } from '../entities/decision-log.ts';
import { type AssistantData, lockUser, type Reader } from '../entities/entity-access.ts';
import { channelsOf, preferencesOf } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import type {
  ChannelDefinition,
  Message,
  Outcome,
  OutcomeKind,
  SaveFile,
  Sender,
  Senders,
} from '../sending/channel.ts';
import { formatTime } from './message.ts';
import { recipientOf } from './reachable-channels.ts';

/** Creates the sender of every channel; a channel without a configured provider writes to the outbox. */
export function createSenders(config: ChannelConfig): Senders {
  return Object.fromEntries(channels.map((channel) => [channel.name, createSender(channel, config)]));
}

export function createSender(channel: ChannelDefinition, config: ChannelConfig): Sender {
  const privateHosts = config['delivery.private_hosts'];
  const connect = () => channel.connect(config, { privateHosts }) ?? createOutbox(channel, config);
  const first = connect();
  return {
    ...first,
    async deliver(message, signal) {
      if (message.recipient.address === '')
        return { kind: 'permanent', detail: `the user has no ${channel.address.noun}` };
      const sender = channel.connectsEachTime ? connect() : first;
      return sender.deliver(message, signal);
    },
  };
}

/**
 * Writes messages to a folder instead of sending them. Each file is named after its notification, so a repeated attempt
 * overwrites the file.
 */
function createOutbox(channel: ChannelDefinition, config: ChannelConfig): Sender {
  const folder = config['delivery.outbox_dir'];
  return {
    async deliver(message) {
      const save: SaveFile = (extension, fill) =>
        saveAtomically(join(folder, `${encodeURIComponent(message.id)}.${extension}`), fill);
      try {
        await disk.mkdir(folder, { recursive: true, mode: 0o700 });
        const saved = channel.toOutbox
          ? await channel.toOutbox(message, config, save)
          : await save(`${channel.name}.json`, (path) =>
              disk.writeFile(path, documentOf(message, channel), { mode: 0o600 }),
            );
        return saved ?? { kind: 'temporary', detail: `${folder}: the file could not be written` };
      } catch (error) {
        const reason = storageReason(error, folder);
        return { kind: 'temporary', detail: reason ? `${folder}: ${reason}` : messageOf(error) };
      }
    },
  };
}

function documentOf(
  { id, recipient, subject, text, urgency, data }: Message,
  { address }: ChannelDefinition,
): string {
  const to = address.secret ? `${address.schemes[0]}://…` : recipient.address;
  return `${JSON.stringify({ to, id, subject, text, urgency, ...data }, undefined, 2)}\n`;
}

/** Writes to a temporary name and renames, so that readers of the folder never see a partial file. */
async function saveAtomically(
  file: string,
  fill: (path: string) => Promise<unknown>,
): Promise<Outcome | undefined> {
  if ((await fill(`${file}.part`)) === false) return undefined;
  await disk.rename(`${file}.part`, file);
  return { kind: 'accepted', reference: file, detail: `written to ${file}` };
}

const testAction = 'notification.tested';
/** Rate limit per user, because a model may call the tool in a loop. */
const maxTests = 10;
const windowMs = 10 * 60_000;

/**
 * Sends one test message immediately, even in quiet hours, through the same channels as other notifications. Without a
 * channel, it goes to the one that the user prefers.
 */
export async function sendTest(
  { store, clock }: AssistantData,
  config: ChannelConfig,
  userId: string,
  requestedChannel: ChannelName | undefined,
  signal: AbortSignal,
  report: (message: string) => void,
) {
  const nowMs = clock();
  const { user, channel, to, entry } = await store.write((writer) =>
    recordStart(writer, userId, requestedChannel, nowMs),
  );
  report(`sending a test message by ${channel}`);
  const definition = findChannel(channel)!;
  const sender = createSender(definition, config);
  const outcome = await sender
    .deliver(testMessage(user, channel, nowMs), signal)
    .finally(() => sender.close?.());
  const kind =
    outcome.kind === 'accepted' && !isConfigured(definition, config) ? ('outbox' as const) : outcome.kind;
  const detail = singleLine(outcome.detail, 500);
  await store.write(({ db }) =>
    db
      .updateTable('audit')
      .set({ at_ms: clock(), detail: JSON.stringify({ channel, outcome: kind, detail }) })
      .where('id', '=', entry)
      .execute(),
  );
  const advice = adviceFor(definition, kind);
  const delivered = kind === 'accepted';
  return present({ user_id: userId, channel, to, delivered, outcome: kind, detail, advice });
}

/** Records the test before it is sent, so that the rate limit also holds for concurrent calls. */
async function recordStart(
  { db }: Writer,
  userId: string,
  requestedChannel: ChannelName | undefined,
  nowMs: number,
) {
  const user = await lockUser(db, userId);
  if ((await countTests(db, userId, nowMs - windowMs)) >= maxTests)
    throw new Failure(
      'refused',
      `${userId} received ${maxTests} test messages within ten minutes. Try again later.`,
    );
  const channel = requestedChannel ?? preferredChannel(user);
  const { address } = findChannel(channel)!;
  const field = address.field?.name ?? 'channels';
  const flag = address.field ? addressFlag(address.field) : '--channels';
  if (!reachableBy(user).includes(channel))
    throw new Failure(
      'refused',
      `${userId} cannot be reached by ${channel}: ${field} is not set. Set it with update_user (on the command line: ${flag}).`,
    );
  const own = address.field && user[address.field.name];
  const to = own ? withoutPassword(own) : listedAddresses(user, channel);
  const detail = { channel, outcome: 'unknown', detail: 'the result is not known yet' };
  const [row] = auditRows(nowMs, [{ action: testAction, userId, detail }]);
  await db.insertInto('audit').values(row!).execute();
  return { user, channel, to, entry: row!.id };
}

async function countTests(db: Reader, userId: string, sinceMs: number): Promise<number> {
  const rows = await db
    .selectFrom('audit')
    .select('id')
    .where('user_id', '=', userId)
    .where('action', '=', testAction)
    .where('at_ms', '>', sinceMs)
    .limit(maxTests)
    .execute();
  return rows.length;
}

/** As for reminders: the preferred channel that has an address, otherwise one that does not ring. */
function preferredChannel(user: User): ChannelName {
  const reachable = reachableBy(user);
  const preferred = channelsOf(preferencesOf(user).channelPref);
  return (
    preferred.find((channel) => reachable.includes(channel)) ??
    reachable.find((channel) => channel !== 'call') ??
    preferred[0]!
  );
}

/** The addresses of a channel in the user's list, without secrets. */
function listedAddresses({ channels }: User, channel: ChannelName): string {
  const list = JSON.parse(channels ?? '[]') as string[];
  const own = list.filter((one) => parseAddress(one)?.channel === channel);
  return own.map(maskAddress).join(', ');
}

function isConfigured(channel: ChannelDefinition, config: ChannelConfig): boolean {
  return channel.connect(config, { privateHosts: [] }) !== undefined;
}

function adviceFor({ advice }: ChannelDefinition, outcome: OutcomeKind | 'outbox'): string | undefined {
  const { notConfigured, unreachable, refused } = advice;
  if (outcome === 'accepted') return undefined;
  return { outbox: notConfigured, temporary: unreachable, unknown: unreachable, permanent: refused }[outcome];
}

function testMessage(user: User, channel: ChannelName, nowMs: number): Message {
  const { locale } = preferencesOf(user);
  const texts = textsFor(locale);
  const lines = [texts.hello(singleLine(user.name)), texts.test.text(channel), formatTime(nowMs, user)];
  return {
    id: newId(nowMs),
    recipient: recipientOf(user, channel),
    subject: texts.test.subject,
    text: `${lines.join('\n\n')}\n`,
    short: { title: texts.test.subject, text: texts.test.text(channel) },
    html: lines.map((line) => `<p>${xml(line)}</p>\n`).join(''),
    speech: lines.slice(0, 2).join(' '),
    urgency: 'normal',
    sentAt: new Date(nowMs),
    data: { test: true },
  };
}
