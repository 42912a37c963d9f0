import type { Channel, User } from '../../store/schema.ts';
import { reachableBy } from '../entities/channels.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { readLeads } from '../entities/lead-times.ts';
import { type Listed, listOccurrences } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { isActive, type ReminderSettings } from '../entities/reminders.ts';
import { isImportant, rulesOf } from '../entities/rules.ts';
import { decide } from '../policy/decide.ts';
import { guard } from '../policy/guards.ts';
import type { Model } from '../policy/policy.ts';
import { afterMinutes } from './plan-occurrence.ts';
import { calendarsOf, limit, personalDecision } from './plan-subjects.ts';

const dayMs = 86_400_000;
/** Decisions of the past were made this long before the event; a replay decides at that time. */
const horizonMs = 30 * dayMs;

/** A reminder as it was, as it would have been, or both. */
interface ReplayedReminder {
  readonly listed: Listed;
  readonly atMs: number;
  readonly channel: Channel;
  readonly reason: string;
  readonly outcome: 'both' | 'only before' | 'only now';
}

function withLeads(user: User, reminders: ReminderSettings): User {
  const read = Object.entries(reminders).map(([name, leads]) => [name, readLeads(user, leads, name)]);
  return { ...user, reminders: JSON.stringify(Object.fromEntries(read)) };
}

/**
 * Shows which reminders a user would have had in the past days under the current or other settings, next to those that
 * were sent. `reminders` are lead times to try instead of those of the user. Stores nothing and sends nothing.
 */
export async function replayNotifications(
  data: AssistantData,
  model: Model | undefined,
  userId: string,
  days: number,
  reminders: ReminderSettings | undefined,
  signal: AbortSignal,
) {
  const nowMs = data.clock();
  const { user, listed, rules, calendars, sent } = await data.store.read(async (db) => {
    const stored = await findUser(db, userId);
    const window = { fromMs: nowMs - days * dayMs, toMs: nowMs };
    return {
      user: reminders === undefined ? stored : withLeads(stored, reminders),
      listed: (await listOccurrences(data, db, window, userId)).listed,
      rules: await rulesOf(db, userId),
      calendars: await calendarsOf(db, userId),
      sent: await db
        .selectFrom('notifications')
        .selectAll()
        .where('user_id', '=', userId)
        .where('status', 'in', ['sent', 'delivered'])
        .where('change', 'is', null)
        .where('parent_id', 'is', null)
        .where('event_start_ms', '>=', window.fromMs)
        .where('event_start_ms', '<=', nowMs)
        .execute(),
    };
  });
  const active = listed.filter(
    ({ event, occurrence }) => event.status !== 'cancelled' && isActive(occurrence),
  );
  const inputs = active.map(({ event, occurrence }) => ({
    ...{ user, event, occurrence, rules, calendars, history: [], nowMs: occurrence.startMs - horizonMs },
    ...{ preferences: preferencesOf(user), reachable: reachableBy(user) },
  }));
  const personal = inputs.map(personalDecision);
  const open = inputs.filter((_, index) => personal[index] === undefined);
  const decided = await decide(model, open, signal);
  let dropped = 0;
  const found: ReplayedReminder[] = [];
  for (const [index, input] of inputs.entries()) {
    const decision = personal[index] ?? decided[open.indexOf(input)]!;
    const { event, occurrence, preferences, reachable } = input;
    const guarded = guard(limit(decision.proposals, input), {
      ...{ preferences, reachable, startMs: occurrence.startMs, nowMs: input.nowMs, taken: [] },
      ...{ important: isImportant(event, rules), afterMinutes: afterMinutes(event, occurrence) },
    });
    dropped += guarded.dropped.length;
    const before = sent.filter((row) => row.event_id === event.id && row.occurrence === occurrence.key);
    for (const { planMs, channel } of guarded.kept) {
      const same = before.find((row) => row.channel === channel && row.plan_ms === planMs);
      if (same !== undefined) before.splice(before.indexOf(same), 1);
      const outcome = same === undefined ? 'only now' : 'both';
      found.push({ listed: active[index]!, atMs: planMs, channel, reason: decision.reason, outcome });
    }
    for (const { plan_ms: atMs, channel, reason } of before)
      found.push({ listed: active[index]!, atMs, channel, reason: reason ?? '', outcome: 'only before' });
  }
  return { reminders: found.sort((a, b) => a.atMs - b.atMs), dropped };
}
