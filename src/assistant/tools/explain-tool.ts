import { type JsonObject, present } from '../../json.ts';
import { pageArguments, pageOf } from '../../paging.ts';
import { localTime } from '../../recurrence/written-time.ts';
import type { AuditRow, Notification } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { listShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import { auditFields, onlyUser } from './fields.ts';
import { localTimesLength } from './local-times.ts';

const dayMs = 86_400_000;
/** More entries than fit on a page, because every entry has at least 50 characters. */
const maxEntries = 200;

const entries = listShape('entries', {
  type: 'object',
  required: ['at', 'action'],
  properties: {
    at: { type: 'string' },
    action: { type: 'string' },
    user_id: { type: 'string' },
    event_id: { type: 'string' },
    notification_id: { type: 'string' },
    detail: { type: 'object' },
    times: { type: 'integer', description: 'How often it was repeated without a change' },
  },
});
const explanationShape = {
  ...entries,
  properties: {
    because: { type: 'string', description: 'What became of the reminder, and why' },
    ...entries.properties,
  },
} as const;

export function explainTool({ store, clock }: AssistantData, timeoutMs: number) {
  return defineTool({
    name: 'explain_notifications',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    replaces: ['list_audit'],
    title: 'Explain Notifications',
    description:
      'Explains why a reminder came or did not. Says first what decided, then lists what was decided, planned, sent and changed in calendars, newest first.',
    searchHint: 'log history why',
    phrases:
      'audit log trail history explanation why notified unnotified told not decided decision who changed moved deleted preferences users events appointment meeting diary happened last night how come called rang reason reminder came did not come late early record activity journal trace blame touched altered know prove proof whoever responsible fault',
    inputSchema: {
      type: 'object',
      properties: { user_id: onlyUser, ...auditFields, ...pageArguments },
    },
    outputSchema: explanationShape,
    annotations: hints.reads,
    timeoutMs,
    async call({ user_id, event_id, notification_id, days_back = 7, limit, cursor = '0' }) {
      const start = Number(cursor);
      const rows = await store.read(async (db) => {
        if (user_id !== undefined) await findUser(db, user_id);
        let query = db
          .selectFrom('audit')
          .selectAll()
          .where('at_ms', '>=', clock() - days_back * dayMs);
        if (user_id !== undefined) query = query.where('user_id', '=', user_id);
        if (event_id !== undefined) query = query.where('event_id', '=', event_id);
        if (notification_id !== undefined) query = query.where('notification_id', '=', notification_id);
        return query
          .orderBy('at_ms', 'desc')
          .orderBy('id', 'desc')
          .offset(start)
          .limit((limit ?? maxEntries) + 1)
          .execute();
      });
      const { items, next } = pageOf(rows, entryView, { limit }, localTimesLength);
      const entries = withoutRepetitions(items);
      const subject = { user_id, event_id, id: notification_id };
      const because = start > 0 ? undefined : await decisiveReason(store, subject, clock());
      return {
        structured: {
          ...present({ because }),
          entries,
          count: entries.length,
          ...(next.next_cursor !== undefined && { next_cursor: String(start + items.length) }),
        },
      };
    },
  });
}

/** Entries that say once more that a notification is planned as it was. */
const repeatable = new Set(['notification.refreshed', 'notification.moved']);

/** Of entries that repeat each other, keeps the newest and says how many they were. A move back is no repetition. */
function withoutRepetitions(entries: readonly ReturnType<typeof entryView>[]) {
  const kept: (ReturnType<typeof entryView> & { times?: number })[] = [];
  const newest = new Map<string | undefined, (typeof kept)[number]>();
  for (const entry of entries) {
    const { action, notification_id: id, detail } = entry;
    const newer = newest.get(id);
    const isSame =
      newer?.action === action &&
      newer.detail?.['plan_time'] === detail?.['plan_time'] &&
      newer.detail?.['channel'] === detail?.['channel'];
    if (isSame && repeatable.has(action)) newer.times = (newer.times ?? 1) + 1;
    else {
      const one = { ...entry };
      kept.push(one);
      // What else became of it lies between two plans, which can still be the same.
      if (detail?.['plan_time'] !== undefined) newest.set(id, one);
    }
  }
  return kept;
}

const states = {
  ...{ planned: 'is planned', sending: 'is being sent', sent: 'was sent', delivered: 'was delivered' },
  ...{ failed: 'failed', missed: 'was missed', cancelled: 'was cancelled' },
  ...{ merged: 'comes in another message', dropped: 'is not sent' },
} as const;

/** What became of a notification, or of the one of an event that is nearest to now, and why. */
async function decisiveReason(
  store: AssistantData['store'],
  subject: { readonly [Name in 'user_id' | 'event_id' | 'id']: string | undefined },
  nowMs: number,
): Promise<string | undefined> {
  if (subject.event_id === undefined && subject.id === undefined) return undefined;
  return store.read(async (db) => {
    const rows = await db
      .selectFrom('notifications')
      .selectAll()
      .where((is) => is.and(present(subject)))
      .orderBy('plan_ms', 'desc')
      .limit(maxEntries)
      .execute();
    const rank = ({ status, plan_ms }: Notification) =>
      (status === 'cancelled' ? Number.MAX_SAFE_INTEGER / 2 : 0) + Math.abs(plan_ms - nowMs);
    const [row] = rows.toSorted((a, b) => rank(a) - rank(b));
    if (row === undefined) return undefined;
    const state = states[row.status === 'planned' ? (row.attention ?? row.status) : row.status];
    const zone = preferencesOf(await findUser(db, row.user_id)).timezone;
    const why = (row.status === 'planned' && row.attention_why) || row.error || row.reason;
    return `The reminder by ${row.channel} for ${localTime(row.plan_ms, zone, nowMs)} ${state}${why ? `: ${why}` : ''}.`;
  });
}

function entryView({ at_ms, action, user_id, event_id, notification_id, detail }: AuditRow) {
  const parsed = detail === null ? null : (JSON.parse(detail) as JsonObject);
  return present({ at: timestamp(at_ms), action, user_id, event_id, notification_id, detail: parsed });
}
