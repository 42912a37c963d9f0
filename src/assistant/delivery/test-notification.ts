import { Failure } from '../../failure.ts';
import { xml } from '../../message-page.ts';
import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { Channel as ChannelName, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { withoutPassword } from '../../without-password.ts';
import type { Message, OutcomeKind } from '../channels/channel.ts';
import { maskAddress, parseAddress } from '../channels/channel-address.ts';
import { type ChannelOptions, createChannels } from '../channels/channels.ts';
import { auditRows } from '../entities/decision-log.ts';
import { type AssistantData, lockUser, type Reader } from '../entities/entity-access.ts';
import { channelsOf, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { formatTime } from './message.ts';
import { recipientOf } from './reachable-channels.ts';

export interface TestRequest {
  readonly userId: string;
  /** Default: the channel that the user prefers. */
  readonly channel?: ChannelName | undefined;
  readonly signal: AbortSignal;
}

export interface TestResult {
  readonly user_id: string;
  readonly channel: ChannelName;
  readonly to: string;
  readonly delivered: boolean;
  readonly outcome: OutcomeKind | 'outbox';
  readonly detail: string;
  readonly advice?: string;
}

const testAction = 'notification.tested';
/** Rate limit per user, because a model may call the tool in a loop. */
const maxTests = 10;
const windowMs = 10 * 60_000;

/** Address field and troubleshooting advice for each channel. */
const channelHelp = {
  email: {
    field: 'email',
    flag: '--email',
    notConfigured: 'delivery.smtp_url is not set, so no email was sent',
    unreachable: 'check delivery.smtp_url; adjutant doctor tests the login',
    refused: "check the user's address and delivery.mail_from",
  },
  call: {
    field: 'phone_e164',
    flag: '--phone',
    notConfigured: 'delivery.call_account, call_token and call_from are not all set, so no call was made',
    unreachable: 'check delivery.call_url; adjutant doctor tests the provider',
    refused: "check delivery.call_account, call_token and call_from, and the user's phone number",
  },
  webhook: {
    field: 'webhook_url',
    flag: '--webhook-url',
    notConfigured: 'delivery.webhook_secret is not set, so no webhook was sent',
    unreachable: 'check that the receiver is running and answers in time',
    refused: "check the user's webhook URL and the receiver; list private hosts in delivery.private_hosts",
  },
  ntfy: {
    field: 'ntfy_topic',
    flag: '--ntfy-topic',
    notConfigured: 'delivery.ntfy_url is not set, so no push message was sent',
    unreachable: 'check delivery.ntfy_url; adjutant doctor tests it',
    refused: "check the user's topic and delivery.ntfy_token",
  },
  telegram: {
    field: 'channels',
    flag: '--channels',
    notConfigured: 'delivery.telegram_token is not set, so no Telegram message was sent',
    unreachable: 'check delivery.telegram_url and the network',
    refused: 'check delivery.telegram_token, and that the user has started a chat with the bot',
  },
  apprise: {
    field: 'channels',
    flag: '--channels',
    notConfigured: 'the program apprise is not installed',
    unreachable: 'check the address with apprise -vv',
    refused: 'install the program apprise, or list a private host in delivery.private_hosts',
  },
} as const satisfies Record<ChannelName, object>;

/** Sends one test message immediately, even in quiet hours, through the same channels as other notifications. */
export async function sendTest(
  { store, clock }: AssistantData,
  options: ChannelOptions,
  { userId, channel: requestedChannel, signal }: TestRequest,
  report: (message: string) => void,
): Promise<TestResult> {
  const nowMs = clock();
  const { user, channel, to, entry } = await store.write((writer) =>
    recordStart(writer, userId, requestedChannel, nowMs),
  );
  report(`sending a test message by ${channel}`);
  const channels = createChannels(options);
  const outcome = await channels[channel]
    .deliver(testMessage(user, channel, nowMs), signal)
    .finally(() => channels[channel].close?.());
  const kind = outcome.kind === 'accepted' && isOutbox(channel, options) ? 'outbox' : outcome.kind;
  const detail = singleLine(outcome.detail, 500);
  await store.write(({ db }) =>
    db
      .updateTable('audit')
      .set({ at_ms: clock(), detail: JSON.stringify({ channel, outcome: kind, detail }) })
      .where('id', '=', entry)
      .execute(),
  );
  const advice = adviceFor(channel, kind);
  return {
    user_id: userId,
    channel,
    to: isList(to) ? addressesFor(channel, to) : withoutPassword(to),
    delivered: kind === 'accepted',
    outcome: kind,
    detail,
    ...(advice !== undefined && { advice }),
  };
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
  const { field, flag } = channelHelp[channel];
  const to = user[field] ?? (reachableBy(user).includes(channel) ? user.channels : null);
  if (to === null || !reachableBy(user).includes(channel))
    throw new Failure(
      'refused',
      `${userId} cannot be reached by ${channel}: ${field} is not set. Set it with update_user (on the command line: ${flag}).`,
    );
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

function isList(to: string): boolean {
  return to.startsWith('[');
}

/** The user's addresses of a channel, without secrets. */
function addressesFor(channel: ChannelName, channels: string): string {
  const own = (JSON.parse(channels) as string[]).filter((one) => parseAddress(one)?.channel === channel);
  return own.map(maskAddress).join(', ');
}

function isOutbox(channel: ChannelName, options: ChannelOptions): boolean {
  const { smtpUrl: email, call, webhookSecret: webhook, ntfy, telegram } = options;
  return { email, call, webhook, ntfy, telegram, apprise: true }[channel] === undefined;
}

function adviceFor(channel: ChannelName, outcome: TestResult['outcome']): string | undefined {
  const { notConfigured, unreachable, refused } = channelHelp[channel];
  if (outcome === 'accepted') return undefined;
  return { outbox: notConfigured, temporary: unreachable, unknown: unreachable, permanent: refused }[outcome];
}

function testMessage(user: User, channel: ChannelName, nowMs: number): Message {
  const { locale } = preferencesOf(user);
  const texts = textsFor(locale);
  const lines = [texts.hello(singleLine(user.name)), texts.test.text(channel), formatTime(nowMs, user)];
  return {
    id: newId(nowMs),
    recipient: recipientOf(user),
    subject: texts.test.subject,
    text: `${lines.join('\n\n')}\n`,
    html: lines.map((line) => `<p>${xml(line)}</p>\n`).join(''),
    speech: lines.slice(0, 2).join(' '),
    urgency: 'normal',
    sentAt: new Date(nowMs),
    data: { test: true },
  };
}
