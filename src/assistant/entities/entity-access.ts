import type { Kysely } from 'kysely';
import { Failure } from '../../failure.ts';
import type { CalendarEvent, Tables, User } from '../../store/schema.ts';
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
