import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Failure } from '../../failure.ts';
import type { CalendarEvent, NewEvent, Tables, User } from '../../store/schema.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Occurrences } from './occurrence.ts';

/** Dependencies of all code that reads or writes assistant data. */
export interface AssistantData {
  readonly store: Store;
  readonly clock: Clock;
  readonly occurrences: Occurrences;
}

/** A connection for reading, inside or outside a transaction. */
export type Reader = Kysely<Tables>;

export async function findUser(db: Reader, id: string): Promise<User> {
  const user = await db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (user === undefined)
    throw new Failure('resource-not-found', 'User not found', { data: { missing: 'user' } });
  return user;
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

export async function findEvent(db: Reader, id: string): Promise<CalendarEvent> {
  const event = await db.selectFrom('events').selectAll().where('id', '=', id).executeTakeFirst();
  if (event === undefined)
    throw new Failure('resource-not-found', 'Event not found', { data: { missing: 'event' } });
  return event;
}

export function fingerprint(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
}

/** Hash of the fields that a notification depends on. Excludes import metadata such as `last_seen_ms`. */
export function revisionOf(event: Omit<NewEvent, 'revision'>): string {
  const { title, start_ms, end_ms, all_day, timezone, location, conf_link } = event;
  const { organizer, attendees, description, status, series } = event;
  const { alarms, answers, task, free } = event;
  return fingerprint(
    [
      [title, start_ms, end_ms, all_day ?? 0, timezone, location, conf_link],
      [organizer, attendees, description, status, series],
      // Left out if absent, so that events without them keep their revision.
      ...(alarms || answers || task ? [[alarms, answers, task]] : []),
      ...(free ? [[free]] : []),
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
