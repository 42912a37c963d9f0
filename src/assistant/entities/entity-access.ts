import { createHash } from 'node:crypto';
import type { Kysely, Selectable, Updateable } from 'kysely';
import { Failure } from '../../failure.ts';
import type { ExpandOwn } from '../../feature.ts';
import type { NewEvent, Tables, User } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Occurrences } from './occurrence.ts';

/** Dependencies of all code that reads or writes assistant data. */
export interface AssistantData {
  readonly store: Store;
  readonly clock: Clock;
  readonly occurrences: Occurrences;
  /** Expands texts that name a prompt. Absent where there are no prompts. */
  readonly expand?: ExpandOwn | undefined;
}

/** A connection for reading, inside or outside a transaction. */
export type Reader = Kysely<Tables>;

type Named = 'users' | 'events' | 'notifications' | 'calendars' | 'rules';
type Row<Table extends Named> = Selectable<Tables[Table]>;

/** The row with this id, or undefined. */
export async function rowOf<Table extends Named>(db: Reader, table: Table, id: string) {
  const rows = db.selectFrom(table as 'users').selectAll();
  return (await rows.where('id', '=', id).executeTakeFirst()) as Row<Table> | undefined;
}

async function demandRow<Table extends Named>(db: Reader, table: Table, id: string): Promise<Row<Table>> {
  return (await rowOf(db, table, id)) ?? notFound(table.slice(0, -1));
}

export function notFound(what: string): never {
  const name = `${what[0]!.toUpperCase()}${what.slice(1)}`;
  throw new Failure('resource-not-found', `${name} not found`, { data: { missing: what } });
}

export const findUser = (db: Reader, id: string) => demandRow(db, 'users', id);
export const findEvent = (db: Reader, id: string) => demandRow(db, 'events', id);
export const findNotification = (db: Reader, id: string) => demandRow(db, 'notifications', id);
export const findCalendar = (db: Reader, id: string) => demandRow(db, 'calendars', id);

/** Sets fields of the row with this id, and returns the row. */
export async function updateRow<Table extends Named>(
  db: Reader,
  table: Table,
  id: string,
  fields: Updateable<Tables[Table]>,
): Promise<Row<Table>> {
  const update = db.updateTable(table as 'users').set(fields as object);
  return (await update.where('id', '=', id).returningAll().executeTakeFirstOrThrow()) as Row<Table>;
}

/** Locks a user until the end of the transaction, across all processes and machines. */
export async function lockUser(db: Reader, id: string): Promise<User> {
  // A key would not do: SQLite then searches all rows that refer to the user.
  await db
    .updateTable('users')
    .set((row) => ({ created_ms: row.ref('created_ms') }))
    .where('id', '=', id)
    .execute();
  return findUser(db, id);
}

export function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Hash of the fields that a notification depends on. Excludes import metadata such as `last_seen_ms`. */
export function revisionOf(event: Omit<NewEvent, 'revision'>): string {
  const { title, start_ms, end_ms, all_day, timezone, location, conf_link } = event;
  const { organizer, attendees, description, status, series } = event;
  const { alarms, answers, task, show_as } = event;
  return fingerprint(
    [
      [title, start_ms, end_ms, all_day ?? 0, timezone, location, conf_link],
      [organizer, attendees, description, status, series],
      // Left out if absent, so that events without them keep their revision.
      ...(alarms || answers || task ? [[alarms, answers, task]] : []),
      ...(show_as ? [[show_as === 'free' ? 1 : show_as]] : []),
    ].map((part) => part.map((field) => field ?? null)),
  );
}

/** All events and notifications that the store holds for a user, at any time. */
export interface StoredData {
  readonly eventIds: readonly string[];
  readonly notifications: readonly {
    readonly id: string;
    readonly event_id: string;
    readonly status: string;
  }[];
}

export async function storedData(store: Store, userId: string): Promise<StoredData> {
  return store.read(async (db) => ({
    eventIds: (await db.selectFrom('events').select('id').where('user_id', '=', userId).execute()).map(
      ({ id }) => id,
    ),
    notifications: await db
      .selectFrom('notifications')
      .select(['id', 'event_id', 'status'])
      .where('user_id', '=', userId)
      .execute(),
  }));
}
