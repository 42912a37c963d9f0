import type { Context } from '../../context.ts';
import { present } from '../../json.ts';
import { log } from '../../log.ts';
import type { CalendarEvent, User } from '../../store/schema.ts';
import type { MeOptions } from '../editing/me.ts';
import { type ChannelConfig, reachableBy } from '../entities/channels.ts';
import { type AssistantData, findUser, type Reader } from '../entities/entity-access.ts';
import { parsePayload } from '../entities/payload.ts';
import { timestamp } from '../entities/view.ts';
import type { PolicyCalls } from './notification-tools.ts';

/** What is planned for an event is listed up to this many reminders. */
const maxListed = 5;

export interface Planning {
  readonly data: AssistantData;
  readonly channels: ChannelConfig;
  readonly policy: PolicyCalls;
  readonly me: MeOptions;
}

/** Plans the reminders of an event that was just written. Says what is planned and why it may not arrive. */
export async function planWritten(
  { data, channels, policy }: Planning,
  event: CalendarEvent,
  context: Context,
  occurrence?: string,
) {
  const because = policy.asksModel ? undefined : await plan(data, event, context.signal);
  const { user, rows } = await data.store.read(async (db) => ({
    user: await findUser(db, event.user_id),
    rows: await nextReminders(db, event, occurrence),
  }));
  const planned = rows.map(({ plan_ms, channel, leader_id, leader_ms, leader_payload }) =>
    present({
      plan_time: timestamp(leader_ms ?? plan_ms),
      channel,
      merged_into: leader_id,
      in_message: leader_payload && parsePayload(leader_payload).subject,
    }),
  );
  const { noticesOf } = await import('./own-change.ts');
  const notices = await noticesOf(data, event, context.actor, maxListed);
  const warnings = await warningsFor(
    data,
    channels,
    user,
    event,
    [...new Set(rows.map((row) => row.channel))],
    because,
  );
  return { planned: [...planned, ...notices], ...(warnings.length > 0 && { warnings }) };
}

function nextReminders(db: Reader, { id }: CalendarEvent, occurrence: string | undefined) {
  const planned = db
    .selectFrom('notifications')
    .leftJoin('notifications as leader', 'leader.id', 'notifications.leader_id')
    .select(['notifications.plan_ms', 'notifications.channel', 'notifications.leader_id'])
    .select(['leader.plan_ms as leader_ms', 'leader.payload as leader_payload'])
    .where('notifications.event_id', '=', id)
    .where('notifications.status', '=', 'planned')
    .where('notifications.change', 'is', null)
    .where(({ or, eb }) =>
      or([eb('notifications.attention', 'is', null), eb('notifications.attention', '=', 'merged')]),
    );
  const own = occurrence === undefined ? planned : planned.where('notifications.occurrence', '=', occurrence);
  return own.orderBy('notifications.plan_ms').limit(maxListed).execute();
}

/** Plans the reminders of events that were just restored, unless a model decides: then the worker does. */
export async function planRestored(
  { data, policy }: Planning,
  events: readonly CalendarEvent[],
  { signal }: Context,
): Promise<void> {
  if (!policy.asksModel) for (const event of events) await plan(data, event, signal);
}

/** Returns why nothing was planned: the guards refused everything, or the next date is too far ahead. */
async function plan(
  data: AssistantData,
  event: CalendarEvent,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { planNotifications } = await import('../planning/planning.ts');
  const request = { userId: event.user_id, eventId: event.id, force: false, dryRun: false };
  try {
    const { planned } = await planNotifications(data, undefined, request, signal);
    if (planned.length === 0) {
      const { horizonNote } = await import('../planning/horizon.ts');
      return await horizonNote(data, await data.store.read((db) => findUser(db, event.user_id)), event);
    }
    const isEmpty = planned.every(({ steps }) => steps.every(({ action }) => action === 'cancel'));
    return isEmpty ? planned.flatMap(({ dropped }) => dropped)[0]?.reason : undefined;
  } catch (error) {
    signal.throwIfAborted();
    // The event is written; the worker plans it later.
    log('warning', `the reminders of event ${event.id} could not be planned yet`, error);
    return undefined;
  }
}

async function warningsFor(
  data: AssistantData,
  config: ChannelConfig,
  user: User,
  event: CalendarEvent,
  used: readonly string[],
  because: string | undefined,
): Promise<readonly string[]> {
  const nowMs = data.clock();
  if (event.status === 'cancelled' || event.last_ms < nowMs) return [];
  if (used.length === 0 && reachableBy(user).length > 0)
    return because === undefined ? [] : [`No reminder is planned: ${because}.`];
  const { deliveryWarnings } = await import('../delivery/outreach.ts');
  return deliveryWarnings(data, config, user, used);
}
