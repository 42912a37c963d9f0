import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { CallFeature } from '../feature-api.ts';
import { wholeList } from '../paging.ts';
import { events, user } from './samples.ts';

/** The sample person that the demo created. */
export interface SamplePerson {
  readonly id: string;
  /** The user record right after its creation. Later differences were made by the user. */
  readonly created?: object;
  readonly events: readonly string[];
}

export interface StoredData {
  readonly eventIds: readonly string[];
  readonly notifications: readonly {
    readonly id: string;
    readonly event_id: string;
    readonly status: string;
  }[];
}

export interface Assistant {
  readonly call: CallFeature;
  readonly context: Context;
  readonly outboxDir: string;
  storedData(userId: string): Promise<StoredData>;
}

/** Records what is about to be created, so that it can be removed after a crash. */
export type RecordPerson = (person: SamplePerson) => Promise<void>;

/** Creates the sample person with a week of events, and plans notifications for them. */
export async function addPerson(
  { call, context }: Assistant,
  before: SamplePerson | undefined,
  record: RecordPerson,
): Promise<SamplePerson> {
  const { users } = await call('list_users', wholeList, context);
  let person = before;
  if (person === undefined || !users.some(({ id }) => id === person!.id)) {
    const id = unusedName(user.id, (id) => users.some((other) => other.id === id), '-');
    const email = unusedName(user.email, (email) => users.some((other) => other.email === email), '.sample');
    await record({ id, events: [] });
    const created = await call('create_user', { ...user, id, email }, context);
    person = { id, created, events: [] };
    await record(person);
  }
  for (const { day, hour, hours, id: preferredId, ...event } of events) {
    const taken = (await orUndefined(call('get_event', { event_id: preferredId }, context))) !== undefined;
    const id = taken ? `${preferredId}-${crypto.randomUUID()}` : preferredId;
    person = { ...person, events: [...person.events, id] };
    await record(person);
    const start = Date.UTC(...today(), 0) + (day * 24 + hour) * 3_600_000;
    const times = {
      start_ts: new Date(start).toISOString(),
      end_ts: new Date(start + hours * 3_600_000).toISOString(),
    };
    await call('create_event', { user_id: person.id, id, ...event, ...times }, context);
  }
  await call('plan_notifications', { user_id: person.id }, context);
  return person;
}

export interface Removal {
  readonly events: number;
  /** Why the person was kept. Empty if it was removed. */
  readonly kept: readonly string[];
}

/** Removes the sample events, and the person unless the user has added data to it. */
export async function removePerson(assistant: Assistant, person: SamplePerson): Promise<Removal> {
  const { call, context, storedData } = assistant;
  const user_id = person.id;
  const now = await orUndefined(call('get_user', { user_id }, context));
  if (now === undefined) return { events: 0, kept: [] };
  const stored = await storedData(user_id);
  const own = new Set(person.events.filter((id) => stored.eventIds.includes(id)));
  const kept = await additions(assistant, person, now, stored.eventIds.length - own.size);
  const notifications = stored.notifications.filter(({ event_id }) => kept.length === 0 || own.has(event_id));
  await emptyOutbox(assistant, notifications);
  if (kept.length === 0) await call('delete_user', { user_id }, context);
  else await removeEvents(assistant, user_id, own);
  return { events: own.size, kept };
}

/** Describes what the user added to the sample person. */
async function additions(
  { call, context }: Assistant,
  { id: user_id, created = user }: SamplePerson,
  now: object,
  events: number,
): Promise<readonly string[]> {
  const calendars = (await call('list_calendars', { user_id }, context)).count;
  const rules = (await call('list_rules', { user_id }, context)).count;
  return [
    ...(calendars > 0 ? [pluralize(calendars, 'calendar')] : []),
    ...(events > 0 ? [pluralize(events, 'event')] : []),
    ...(rules > 0 ? [pluralize(rules, 'rule')] : []),
    ...(isDeepStrictEqual({ ...created, id: user_id }, { ...now, id: user_id })
      ? []
      : ['changed preferences']),
  ];
}

function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function removeEvents(
  { call, context, storedData }: Assistant,
  userId: string,
  own: ReadonlySet<string>,
): Promise<void> {
  for (const event_id of own) await call('delete_event', { event_id }, context);
  // Deleting an event plans a cancellation notice, which makes no sense for a sample.
  for (const { id, event_id, status } of (await storedData(userId)).notifications)
    if (status === 'planned' && own.has(event_id))
      await call('cancel_notification', { notification_id: id }, context);
}

/** Removes the outbox files of the notifications. A file's name starts with the notification's id. */
async function emptyOutbox(
  { outboxDir }: Assistant,
  notifications: StoredData['notifications'],
): Promise<void> {
  const names = new Set(notifications.map(({ id }) => encodeURIComponent(id)));
  for (const file of await disk.readdir(outboxDir).catch(() => []))
    if (names.has(file.replace(/\..*$/, ''))) await disk.rm(join(outboxDir, file), { force: true });
}

/** Resolves to `undefined` instead of failing with "not found". */
async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'resource-not-found') return undefined;
    throw error;
  }
}

/** The name itself, or a numbered variant if it is taken: `demo-ada-2`, `ada.sample2@example.com`. */
function unusedName(name: string, isTaken: (name: string) => boolean, mark: string): string {
  const [first = '', ...rest] = name.split(/(?=@)/);
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${first}${mark}${number}${rest.join('')}`;
    if (!isTaken(candidate)) return candidate;
  }
}

function today(): [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
}
