import { existsSync } from 'node:fs';
import { owner } from '../../context.ts';
import type { Outreach, OutreachMessage, SentMessage } from '../../outreach.ts';
import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { Notification, Urgency, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import type { MeOptions } from '../editing/me.ts';
import { type ChannelConfig, findChannel, reachableBy } from '../entities/channels.ts';
import { auditChange } from '../entities/decision-log.ts';
import { type AssistantData, lockUser, notFound, rowOf } from '../entities/entity-access.ts';
import type { Payload } from '../entities/payload.ts';
import { preferencesOf, quietChannel, silentChannel } from '../entities/preferences.ts';
import { textsFor } from '../messages/catalog.ts';
import { messageHtml } from '../planning/wording.ts';
import { channelsAt, nextAllowedTime } from '../policy/guards.ts';
import { hasSender } from './heartbeat.ts';

// A message about something else than an event is a notification without an event. Its column `about` names the thing, and
// its key is that name with the person. The checks before sending, the retries and the channels are those of reminders.

/** Stored in `acknowledged_by` of a message that was sent and is no longer true. */
export const withdrawn = 'withdrawn';

const urgencies: Readonly<Record<OutreachMessage['urgency'] & string, Urgency>> = {
  silent: 'low',
  normal: 'normal',
  important: 'high',
};

export function createOutreach(data: AssistantData, config: ChannelConfig, me: MeOptions): Outreach {
  const { store, clock } = data;
  // Looking for somebody must not create the database.
  const isEmpty = () => store.engine === 'sqlite' && !existsSync(store.place);
  const findPerson: Outreach['findPerson'] = async (written, actor, creates = true) => {
    if (!creates && isEmpty()) return notFound('user');
    const { personId } = await import('../editing/me.ts');
    return personId(data, me, written, actor, creates);
  };
  return {
    findPerson,
    async send(message) {
      const id = await findPerson(message.person, owner);
      const nowMs = clock();
      const { user, row } = await store.write(async (writer) => {
        const person = await lockUser(writer.db, id);
        return { user: person, row: await queue(writer, person, message, nowMs) };
      });
      const warnings = await deliveryWarnings(data, config, user, [row.channel]);
      return { person: id, channel: row.channel, dueMs: row.next_ms, warnings };
    },
    async withdraw(key) {
      if (!isEmpty()) await store.write((writer) => withdraw(writer, key, clock()));
    },
    async canReach(personId) {
      const user = await store.read((db) => rowOf(db, 'users', personId));
      for (const channel of user === undefined ? [] : reachableBy(user))
        if (await hasSender(store, channel, clock())) return true;
      return false;
    },
  };
}

async function queue(
  writer: Writer,
  user: User,
  message: OutreachMessage,
  nowMs: number,
): Promise<Pick<Notification, 'channel' | 'next_ms'>> {
  const { db, changed } = writer;
  const wanted = { ...scheduleOf(user, message, nowMs), payload: write(message, user) };
  const key = JSON.stringify(['about', message.key, user.id]);
  const before = await db.selectFrom('notifications').selectAll().where('key', '=', key).executeTakeFirst();
  if (before?.status === 'planned') {
    await db
      .updateTable('notifications')
      .set({ ...wanted, updated_ms: nowMs })
      .where('id', '=', before.id)
      .execute();
    changed({ kind: 'notification', id: before.id, userId: user.id });
    return wanted;
  }
  const isOver =
    before === undefined ||
    before.acknowledged_by === withdrawn ||
    ['cancelled', 'failed', 'missed'].includes(before.status);
  if (!isOver) return before;
  if (before !== undefined)
    await db
      .updateTable('notifications')
      .set({ key: `${key}#${before.id}` })
      .where('id', '=', before.id)
      .execute();
  const id = newId(nowMs);
  await db
    .insertInto('notifications')
    .values({
      ...wanted,
      ...{ id, key, user_id: user.id, about: message.key, event_id: '', revision: '', slot: 0 },
      // A unique occurrence, so that an acknowledgement of this message affects no other notification.
      occurrence: id,
      event_start_ms: nowMs,
      status: 'planned',
      ...{ created_ms: nowMs, updated_ms: nowMs },
    })
    .execute();
  const detail = { about: message.key };
  await auditChange(writer, nowMs, {
    action: 'notification.planned',
    userId: user.id,
    notificationId: id,
    detail,
  });
  return wanted;
}

/** When and by which channel the message goes out. Only an important message may ring. */
function scheduleOf(user: User, message: OutreachMessage, nowMs: number) {
  const { urgency = 'normal', quietHours = 'delay', expiresMs = null, atMs = nowMs } = message;
  const preferences = preferencesOf(user);
  const reachable = reachableBy(user);
  const isMuted = quietHours === 'silent' && channelsAt(atMs, preferences, reachable).length === 0;
  const silent = isMuted ? silentChannel(preferences.channelPref, reachable) : undefined;
  const waits = quietHours === 'delay' || (isMuted && silent === undefined);
  const planMs = waits ? (nextAllowedTime(atMs, preferences, reachable) ?? atMs) : atMs;
  const allowed = channelsAt(planMs, preferences, reachable);
  const channel =
    silent ??
    allowed.find((one) => urgency === 'important' || one !== 'call') ??
    quietChannel(preferences.channelPref, reachable);
  return {
    channel,
    urgency: urgencies[urgency],
    expires_ms: expiresMs,
    plan_ms: planMs,
    next_ms: planMs,
  };
}

function write({ title, text, page, quietHours, decision }: OutreachMessage, user: User): string {
  const { locale } = preferencesOf(user);
  const texts = textsFor(locale);
  const subject = singleLine(
    typeof title === 'string' ? title : texts.news[title.kind](singleLine(title.name, 100)),
    200,
  );
  const lines = (text?.trim() || subject).split('\n');
  const payload: Payload = {
    subject,
    text: `${lines.join('\n')}\n`,
    html: messageHtml(locale, lines),
    script: `${texts.spokenHello(singleLine(user.name))} ${subject}`,
    ...(page !== undefined && { page }),
    ...(quietHours !== undefined && { quietHours }),
    ...(decision !== undefined && { decision }),
  };
  return JSON.stringify(payload);
}

async function withdraw({ db, changed }: Writer, key: string, nowMs: number): Promise<void> {
  const about = db.updateTable('notifications').where('about', '=', key);
  const cancelled = await about
    .set({ status: 'cancelled', reason: 'no longer true', updated_ms: nowMs })
    .where('status', '=', 'planned')
    .returning(['id', 'user_id'])
    .execute();
  // This also ends the escalation of a message that a worker is sending at this moment.
  const sent = await about
    .set({ acknowledged_ms: nowMs, acknowledged_by: withdrawn, escalate_ms: null, updated_ms: nowMs })
    .where('status', 'in', ['sending', 'sent', 'delivered'])
    .where('acknowledged_ms', 'is', null)
    .returning(['id', 'user_id'])
    .execute();
  for (const { id, user_id } of [...cancelled, ...sent])
    changed({ kind: 'notification', id, userId: user_id });
}

/** Why messages to the person by these channels may not arrive. */
export async function deliveryWarnings(
  { store, clock }: AssistantData,
  config: ChannelConfig,
  user: User,
  channels: readonly string[],
): Promise<SentMessage['warnings']> {
  if (reachableBy(user).length === 0)
    return [`${user.name} has no address on any channel. Add one with update_user, for instance email.`];
  const warnings: string[] = [];
  for (const channel of channels) {
    const definition = findChannel(channel);
    const isSetUp = definition?.connect(config, { privateHosts: [] }) !== undefined;
    if (definition && !isSetUp)
      warnings.push(
        `${definition.label} is not set up, so the message is only written to ${config['delivery.outbox_dir']}: ${definition.advice.notConfigured}.`,
      );
    if (!(await hasSender(store, channel, clock())))
      warnings.push(
        'Nothing is running that sends reminders. Start "adjutant worker", or keep it running with "adjutant service install worker".',
      );
  }
  return [...new Set(warnings)];
}
