import { newId } from '../../store/id.ts';
import type {
  CalendarEvent,
  Change,
  Channel,
  NewNotification,
  Notification,
  NotificationUpdate,
  Origin,
  Urgency,
} from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { type AuditEntry, audit } from '../entities/decision-log.ts';
import { type Reader, updateRow } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { parsePayload, type Words } from '../entities/payload.ts';
import type { Proposal } from '../policy/guards.ts';

/** The target state of a notification. */
export interface DesiredNotification {
  readonly slot: number;
  readonly channel: Channel;
  readonly urgency: Urgency;
  readonly planMs: number;
  readonly payload: string;
  readonly reason: string;
  readonly origin?: Origin;
  /** Set for change notices only. */
  readonly change?: Change;
  /** Set for messages that are not identified by their slot. */
  readonly key?: string;
}

export type Step =
  | { readonly action: 'add'; readonly desired: DesiredNotification }
  | { readonly action: 'move' | 'keep'; readonly row: Notification; readonly desired: DesiredNotification }
  | { readonly action: 'cancel'; readonly row: Notification; readonly reason: string };

/** When the notification of a step was and will be due. */
export function dueTimes(step: Step): readonly number[] {
  return [...('desired' in step ? [step.desired.planMs] : []), ...('row' in step ? [step.row.plan_ms] : [])];
}

/** Unique key: one reminder per occurrence, start, slot and channel. */
export function keyOf(
  eventId: string,
  occurrence: string,
  startMs: number,
  slot: number,
  channel: Channel,
): string {
  return JSON.stringify([eventId, occurrence, startMs, slot, channel]);
}

/** The notifications of an event, or of one of its occurrences. */
export function rowsOf(db: Reader, eventId: string, occurrence?: string): Promise<Notification[]> {
  const all = db.selectFrom('notifications').selectAll().where('event_id', '=', eventId);
  const some = occurrence === undefined ? all : all.where('occurrence', '=', occurrence);
  return some.orderBy('plan_ms').execute();
}

const actions = {
  add: 'notification.planned',
  move: 'notification.moved',
  keep: 'notification.refreshed',
  cancel: 'notification.cancelled',
} as const satisfies Record<Step['action'], string>;

/** Rows that several plans add, which are stored together. */
export class AddedRows {
  readonly notifications: NewNotification[] = [];
  readonly entries: AuditEntry[] = [];

  async store(writer: Writer, now: number): Promise<void> {
    if (this.notifications.length > 0)
      await writer.db.insertInto('notifications').values(this.notifications).execute();
    await audit(writer, now, this.entries);
  }
}

/** Applies the steps of a plan to the stored notifications and audits them. With `shared`, the caller stores what is added. */
export async function applySteps(
  writer: Writer,
  event: CalendarEvent,
  occurrence: Pick<Occurrence, 'key' | 'startMs'>,
  steps: readonly Step[],
  now: number,
  shared?: AddedRows,
): Promise<void> {
  const added = shared ?? new AddedRows();
  // Cancel first, so that cancelled notifications release their keys before others need them.
  for (const step of steps.toSorted(
    (a, b) => Number(b.action === 'cancel') - Number(a.action === 'cancel'),
  )) {
    const id = step.action === 'add' ? newId(now) : step.row.id;
    if (!(await applyStep(writer, event, occurrence, step, id, now, added))) continue;
    writer.changed({ kind: 'notification', id, userId: event.user_id });
    const detail =
      step.action === 'cancel'
        ? { reason: step.reason }
        : {
            channel: step.desired.channel,
            plan_time: new Date(step.desired.planMs).toISOString(),
            reason: step.desired.reason,
          };
    added.entries.push({
      action: actions[step.action],
      userId: event.user_id,
      eventId: event.id,
      notificationId: id,
      detail,
    });
  }
  if (shared === undefined) await added.store(writer, now);
}

/** Returns false if nothing changed. */
async function applyStep(
  { db }: Writer,
  event: CalendarEvent,
  occurrence: Pick<Occurrence, 'key' | 'startMs'>,
  step: Step,
  id: string,
  now: number,
  added: AddedRows,
): Promise<boolean> {
  if (step.action === 'cancel') {
    const cancelled = {
      status: 'cancelled',
      reason: step.reason,
      key: `${step.row.key}#${id}`,
      updated_ms: now,
    } as const;
    return update(db, id, cancelled);
  }
  const { desired } = step;
  const fields = {
    key: desired.key ?? keyOf(event.id, occurrence.key, occurrence.startMs, desired.slot, desired.channel),
    occurrence: occurrence.key,
    event_start_ms: occurrence.startMs,
    revision: event.revision,
    slot: desired.slot,
    channel: desired.channel,
    urgency: desired.urgency,
    change: desired.change ?? null,
    origin: desired.origin ?? null,
    plan_ms: desired.planMs,
    payload: desired.payload,
    reason: desired.reason,
  };
  if (step.action === 'add') {
    added.notifications.push({
      ...fields,
      id,
      user_id: event.user_id,
      event_id: event.id,
      status: 'planned',
      next_ms: desired.planMs,
      created_ms: now,
      updated_ms: now,
    });
    return true;
  }
  const { row } = step;
  if (Object.entries(fields).every(([name, value]) => row[name as keyof typeof fields] === value))
    return false;
  const reset =
    step.action === 'move'
      ? {
          ...{ next_ms: desired.planMs, attempts: 0, error: null, escalate_ms: null },
          ...{ attention: null, attention_why: null, leader_id: null },
        }
      : {};
  return update(db, id, { ...fields, ...reset, updated_ms: now });
}

/** Updates a notification unless a worker has claimed it in the meantime. */
async function update(db: Reader, id: string, fields: NotificationUpdate): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('notifications')
    .set(fields)
    .where('id', '=', id)
    .where('status', '=', 'planned')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Releases the keys of cancelled notifications, so that a forced plan can create them again. */
export async function releaseKeys({ db }: Writer, rows: readonly Notification[]): Promise<void> {
  for (const { id, key } of rows.filter(
    (row) => row.status === 'cancelled' && !row.key.endsWith(`#${row.id}`),
  ))
    await updateRow(db, 'notifications', id, { key: `${key}#${id}` });
}

/** Proposals, and why they were made. */
export interface Proposed {
  readonly proposals: readonly Proposal[];
  readonly why?: string | undefined;
}

/** The planned reminders of an occurrence as proposals of the policy that made them. */
export function currentPlan(rows: readonly Notification[], event: CalendarEvent): Proposed {
  const proposals = rows
    .filter((row) => row.status === 'planned' && row.parent_id === null && row.change === null)
    // The user's own reminders are computed anew.
    .filter(({ origin }) => origin === null)
    .map((row) => ({
      offsetMinutes: row.slot,
      channel: row.channel,
      urgency: row.urgency,
      ...reusableWords(row, event),
    }));
  const why = rows.map(({ payload }) => parsePayload(payload).why).find((reason) => reason !== undefined);
  return { proposals, ...(why !== undefined && { why }) };
}

/** The policy's own words, unless the event has changed since they were written. */
export function reusableWords({ revision, payload }: Notification, event: CalendarEvent): Words {
  return (revision === event.revision && parsePayload(payload).words) || {};
}

/** Reports progress of a planning run. */
export type ReportProgress = (done: number, total: number, message: string) => void;

/** Limits the number of progress reports per planning run. */
const maxReports = 100;

/** Reports the progress of one planning run: first the answers of the model, then the planned events. */
export class PlanProgress {
  readonly #events: number;
  readonly #asked: number;
  readonly #policy: string | undefined;
  readonly #report: ReportProgress;
  #planned = 0;

  constructor(events: number, policy: string | undefined, report: ReportProgress) {
    this.#events = events;
    this.#asked = policy === undefined ? 0 : events;
    this.#policy = policy;
    this.#report = report;
    if (this.#asked > 0) this.#emit(0, `asking ${policy} about ${countEvents(events)}`);
  }

  answered(count: number): void {
    this.#emit(count, `${this.#policy} answered about ${count} of ${countEvents(this.#events)}`);
  }

  planned(how: string): void {
    this.#planned += 1;
    this.#emit(this.#asked + this.#planned, `${this.#planned} of ${countEvents(this.#events)} ${how}`);
  }

  #emit(done: number, message: string): void {
    const total = this.#asked + this.#events;
    if (done % Math.ceil(total / maxReports) === 0 || done === total) this.#report(done, total, message);
  }
}

function countEvents(events: number): string {
  return `${events} event${events === 1 ? '' : 's'}`;
}
