import type { JsonObject } from '../../json.ts';
import { newId } from '../../store/id.ts';
import type { AuditRow } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';

export interface AuditEntry {
  /** Subject and verb, such as `notification.sent` or `plan.decided`. */
  readonly action: string;
  readonly userId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly notificationId?: string | undefined;
  readonly detail?: JsonObject | undefined;
}

/** Call this in the transaction that makes the change, so that the change and its audit row commit together. */
export async function audit({ db }: Writer, now: number, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0) await db.insertInto('audit').values(auditRows(now, entries)).execute();
}

export function auditRows(now: number, entries: readonly AuditEntry[]): AuditRow[] {
  return entries.map(({ action, userId, eventId, notificationId, detail }) => ({
    id: newId(now),
    at_ms: now,
    action,
    user_id: userId ?? null,
    event_id: eventId ?? null,
    notification_id: notificationId ?? null,
    detail: detail === undefined ? null : JSON.stringify(detail),
  }));
}
