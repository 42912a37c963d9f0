import type { JsonObject } from '../../json.ts';
import { newId } from '../../store/id.ts';
import type { AuditRow } from '../../store/schema.ts';
import type { StoreChange, Writer } from '../../store/store.ts';

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

/** Audits a change and reports it to subscribers of the store: the first word of the action says what was changed. */
export async function auditChange(writer: Writer, now: number, entry: AuditEntry): Promise<void> {
  const { action, userId = '', eventId: event, notificationId: notification, detail = {} } = entry;
  const subjects = {
    user: userId,
    event,
    notification,
    rule: detail['rule'],
    calendar: detail['calendar_id'],
  };
  const kind = action.split('.')[0] as StoreChange['kind'] & keyof typeof subjects;
  await audit(writer, now, [entry]);
  writer.changed({ kind, id: String(subjects[kind]), userId });
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
