import type { JsonObject } from '../../json.ts';
import { defineTool } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { listShape } from '../entities/shapes.ts';
import { timestamp } from '../entities/view.ts';
import type { AuditRow } from '../store/schema.ts';
import { auditFields } from './fields.ts';

const dayMs = 86_400_000;

export function auditTools({ store, clock }: AssistantData, timeoutMs: number) {
  return [
    defineTool({
      name: 'list_audit',
      title: 'List Audit Trail',
      description:
        'List what was decided, planned, tried and changed in the calendar and its notifications, the newest first',
      inputSchema: {
        type: 'object',
        properties: { user_id: { type: 'string', description: 'Filter by user ID' }, ...auditFields },
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
      annotations: { readOnlyHint: true, openWorldHint: false },
      timeoutMs,
      async call({ user_id, event_id, notification_id, days_back = 7, limit = 100 }) {
        const rows = await store.read(async (db) => {
          if (user_id !== undefined) await findUser(db, user_id);
          let query = db
            .selectFrom('audit')
            .selectAll()
            .where('at_ms', '>=', clock() - days_back * dayMs);
          if (user_id !== undefined) query = query.where('user_id', '=', user_id);
          if (event_id !== undefined) query = query.where('event_id', '=', event_id);
          if (notification_id !== undefined) query = query.where('notification_id', '=', notification_id);
          return query.orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit).execute();
        });
        return { structured: { entries: rows.map(entryView), count: rows.length } };
      },
    }),
  ];
}

function entryView({ at_ms, action, user_id, event_id, notification_id, detail }: AuditRow) {
  return {
    at: timestamp(at_ms),
    action,
    ...(user_id !== null && { user_id }),
    ...(event_id !== null && { event_id }),
    ...(notification_id !== null && { notification_id }),
    ...(detail !== null && { detail: JSON.parse(detail) as JsonObject }),
  };
}
