import { type JsonObject, present } from '../../json.ts';
import { pageArguments, pageOf } from '../../paging.ts';
import type { AuditRow } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { listShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import { auditFields, onlyUser } from './fields.ts';
import { localTimesLength } from './local-times.ts';

const dayMs = 86_400_000;
/** More entries than fit on a page, because every entry has at least 50 characters. */
const maxEntries = 200;

export function explainTool({ store, clock }: AssistantData, timeoutMs: number) {
  return defineTool({
    name: 'explain_notifications',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    replaces: ['list_audit'],
    title: 'Explain Notifications',
    description:
      'Explains why a reminder came or did not. Lists what was decided, planned, sent and changed in calendars, newest first.',
    searchHint: 'log history why',
    phrases:
      'audit log trail history explanation why notified unnotified told not decided decision who changed moved deleted preferences users events appointment meeting diary happened last night how come called rang reason reminder came did not come late early record activity journal trace blame touched altered know prove proof whoever responsible fault',
    inputSchema: {
      type: 'object',
      properties: { user_id: onlyUser, ...auditFields, ...pageArguments },
    },
    outputSchema: listShape('entries', {
      type: 'object',
      required: ['at', 'action'],
      properties: {
        at: { type: 'string' },
        action: { type: 'string' },
        user_id: { type: 'string' },
        event_id: { type: 'string' },
        notification_id: { type: 'string' },
        detail: { type: 'object' },
      },
    }),
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
      const { items: entries, next } = pageOf(rows, entryView, { limit }, localTimesLength);
      return {
        structured: {
          entries,
          count: entries.length,
          ...(next.next_cursor !== undefined && { next_cursor: String(start + entries.length) }),
        },
      };
    },
  });
}

function entryView({ at_ms, action, user_id, event_id, notification_id, detail }: AuditRow) {
  const parsed = detail === null ? null : (JSON.parse(detail) as JsonObject);
  return present({ at: timestamp(at_ms), action, user_id, event_id, notification_id, detail: parsed });
}
