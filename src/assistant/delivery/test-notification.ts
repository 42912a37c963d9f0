import { Failure } from '../../failure.ts';
import { singleLine } from '../../single-line.ts';
import { withoutPassword } from '../../without-password.ts';
import { xml } from '../channels/call.ts';
import type { Message, OutcomeKind } from '../channels/channel.ts';
import { type ChannelOptions, createChannels } from '../channels/channels.ts';
import { type AssistantData, lockUser, type Reader } from '../entities/entity-access.ts';
import { channelsOf, preferencesOf, reachableBy } from '../entities/preferences.ts';
import { auditRows } from '../store/audit.ts';
import { newId } from '../store/id.ts';
import type { Channel as ChannelName, User } from '../store/schema.ts';
import type { Writer } from '../store/store.ts';
import { timeOf } from './message.ts';
import { recipientOf } from './reachable-channels.ts';

export interface TestRequest {
  readonly userId: string;
  /** The one the user prefers, unless one is named. */
  readonly channel?: ChannelName | undefined;
  readonly signal: AbortSignal;
}

export interface Tested {
  readonly user_id: string;
  readonly channel: ChannelName;
  readonly to: string;
  readonly delivered: boolean;
  readonly outcome: OutcomeKind | 'outbox';
  readonly detail: string;
  readonly advice?: string;
}

const tested = 'notification.tested';
/** Whoever calls may be a model; nobody's phone rings all day for a test. */
const mostTests = 10;
const withinMs = 10 * 60_000;

/** What a channel is made of, for who has to mend it. */
const parts = {
  email: {
    field: 'email',
    flag: '--email',
    unset: 'delivery.smtp_url is not set, so no mail leaves this machine',
    unreached: 'check delivery.smtp_url; adjutant doctor tries to sign in there',
    refused: 'check the address of the user, and delivery.mail_from',
  },
  call: {
    field: 'phone_e164',
    flag: '--phone',
    unset: 'delivery.call_account, call_token and call_from are not all set, so no phone rings',
    unreached: 'check delivery.call_url; adjutant doctor asks the provider',
    refused: 'check delivery.call_account, call_token and call_from, and the number of the user',
  },
  webhook: {
    field: 'webhook_url',
    flag: '--webhook-url',
    unset: 'delivery.webhook_secret is not set, so no document leaves this machine',
    unreached: 'check that the receiver runs and answers in time',
    refused:
      'check the address of the user and what the receiver takes; private hosts are listed in delivery.private_hosts',
  },
  ntfy: {
    field: 'ntfy_topic',
    flag: '--ntfy-topic',
    unset: 'delivery.ntfy_url is not set, so no push message leaves this machine',
    unreached: 'check delivery.ntfy_url; adjutant doctor tries it',
    refused: 'check the topic of the user, and delivery.ntfy_token',
  },
} as const satisfies Record<ChannelName, object>;

/** Sends one message at once, whatever the hour: the person asks for it. It goes where everything else goes. */
export async function sendTest(
  { store, clock }: AssistantData,
  options: ChannelOptions,
  { userId, channel: wanted, signal }: TestRequest,
  tell: (message: string) => void,
): Promise<Tested> {
  const nowMs = clock();
  const { user, channel, to, entry } = await store.write((writer) => begin(writer, userId, wanted, nowMs));
  tell(`sending a test by ${channel}`);
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
  const advice = adviceOn(channel, kind);
  return {
    user_id: userId,
    channel,
    to: withoutPassword(to),
    delivered: kind === 'accepted',
    outcome: kind,
    detail,
    ...(advice !== undefined && { advice }),
  };
}

/** On record before it leaves, so that many who ask at once are counted, too. */
async function begin({ db }: Writer, userId: string, wanted: ChannelName | undefined, nowMs: number) {
  const user = await lockUser(db, userId);
  if ((await testsOf(db, userId, nowMs - withinMs)) >= mostTests)
    throw new Failure(
      'refused',
      `${mostTests} tests were sent to ${userId} within ten minutes; try again later.`,
    );
  const channel = wanted ?? preferredOf(user);
  const { field, flag } = parts[channel];
  const to = user[field];
  if (to === null)
    throw new Failure(
      'refused',
      `${userId} cannot be reached by ${channel}: ${field} is not set. Set it with updateUser, or adjutant users update ${userId} ${flag} …`,
    );
  const detail = { channel, outcome: 'unknown', detail: 'its end is not known' };
  const [row] = auditRows(nowMs, [{ action: tested, userId, detail }]);
  await db.insertInto('audit').values(row!).execute();
  return { user, channel, to, entry: row!.id };
}

async function testsOf(db: Reader, userId: string, sinceMs: number): Promise<number> {
  const rows = await db
    .selectFrom('audit')
    .select('id')
    .where('user_id', '=', userId)
    .where('action', '=', tested)
    .where('at_ms', '>', sinceMs)
    .limit(mostTests)
    .execute();
  return rows.length;
}

/** As for reminders: the first choice that has an address, otherwise one that does not ring. */
function preferredOf(user: User): ChannelName {
  const reachable = reachableBy(user);
  const wished = channelsOf(preferencesOf(user).channelPref);
  return (
    wished.find((channel) => reachable.includes(channel)) ??
    reachable.find((channel) => channel !== 'call') ??
    wished[0]!
  );
}

function isOutbox(channel: ChannelName, { smtpUrl, call, webhookSecret, ntfy }: ChannelOptions): boolean {
  return { email: smtpUrl, call, webhook: webhookSecret, ntfy }[channel] === undefined;
}

function adviceOn(channel: ChannelName, outcome: Tested['outcome']): string | undefined {
  const { unset, unreached, refused } = parts[channel];
  if (outcome === 'accepted') return undefined;
  return { outbox: unset, temporary: unreached, unknown: unreached, permanent: refused }[outcome];
}

function testMessage(user: User, channel: ChannelName, nowMs: number): Message {
  const says = `this is a test. What Adjutant has to tell you by ${channel} arrives here.`;
  const [name, when] = [singleLine(user.name), timeOf(nowMs, user)];
  return {
    id: newId(nowMs),
    recipient: recipientOf(user),
    subject: 'A test from Adjutant',
    text: `Hello ${name},\n\n${says}\n\n${when}\n`,
    html: `<p>Hello ${xml(name)},</p>\n<p>${says}</p>\n<p>${xml(when)}</p>\n`,
    speech: `Hello ${name}, ${says}`,
    urgency: 'normal',
    sentAt: new Date(nowMs),
    data: { test: true },
  };
}
