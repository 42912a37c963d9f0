import { createHash } from 'node:crypto';
import { Failure } from '../../failure.ts';
import type { CalendarEvent, Notification, Plan, Rule, User } from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import type { AssistantData } from '../entities/entity-access.ts';

export interface Pair<Row> {
  /** Absent if the change added the row. */
  readonly before: Row | undefined;
  /** Absent if the change removed the row. */
  readonly after: Row | undefined;
}

/** What a change did, row by row. */
export interface Difference {
  readonly users: readonly Pair<User>[];
  readonly events: readonly Pair<CalendarEvent>[];
  readonly notifications: readonly Pair<Notification>[];
  readonly rules: readonly Pair<Rule>[];
  readonly removedPlans: readonly Plan[];
}

/** The kind of the records of changes that can be undone. Their position is the time at which they expire. */
const kind = 'undo';
const keptMs = 60 * 60_000;
const maxKept = 50;

export interface KeptChange {
  readonly key: string;
  readonly difference: Difference;
}

const tooLate = () => new Failure('resource-not-found', 'This change can no longer be undone.');
/** Records of one identity share a prefix, so that nobody finds those of others. */
const prefixOf = (identity: string) => `${createHash('sha256').update(identity).digest('base64url')} `;

/** Keeps the last changes of an identity for an hour. Returns what names this one. */
export async function keepChange(
  { store, clock }: AssistantData,
  identity: string,
  difference: Difference,
): Promise<string> {
  const id = crypto.randomUUID();
  const prefix = prefixOf(identity);
  await store.write(async ({ db }) => {
    await db.deleteFrom('records').where('kind', '=', kind).where('position', '<', clock()).execute();
    const kept = db.selectFrom('records').select('key').where('kind', '=', kind).orderBy('position', 'desc');
    const own = (await kept.execute()).filter(({ key }) => key.startsWith(prefix));
    const excess = own.slice(maxKept - 1).map(({ key }) => key);
    if (excess.length > 0)
      await db.deleteFrom('records').where('kind', '=', kind).where('key', 'in', excess).execute();
    const value = JSON.stringify(difference);
    await db
      .insertInto('records')
      .values({ kind, key: `${prefix}${id}`, value, position: clock() + keptMs })
      .execute();
  });
  return id;
}

export async function findChange(
  { store, clock }: AssistantData,
  identity: string,
  id: string,
): Promise<KeptChange> {
  const key = `${prefixOf(identity)}${id}`;
  const found = await store.read((db) =>
    db
      .selectFrom('records')
      .select('value')
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where('position', '>=', clock())
      .executeTakeFirst(),
  );
  if (found === undefined) throw tooLate();
  return { key, difference: JSON.parse(found.value) as Difference };
}

/** Removes the kept changes that contain data of a person. */
export async function forgetChanges({ db }: Writer, userId: string): Promise<void> {
  const rows = await db.selectFrom('records').select(['key', 'value']).where('kind', '=', kind).execute();
  for (const { key, value } of rows) {
    const { users, removedPlans: _, ...owned } = JSON.parse(value) as Difference;
    const people = Object.values(owned)
      .flat()
      .map(({ before, after }) => (after ?? before)?.user_id);
    if (people.includes(userId) || users.some(({ before }) => before?.id === userId))
      await db.deleteFrom('records').where('kind', '=', kind).where('key', '=', key).execute();
  }
}

/** Of two requests at the same time, only one gets the change. */
export async function takeChange({ db }: Writer, key: string): Promise<void> {
  const taken = db.deleteFrom('records').where('kind', '=', kind).where('key', '=', key);
  if ((await taken.executeTakeFirstOrThrow()).numDeletedRows === 0n) throw tooLate();
}
