import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { CallFeature } from '../api.ts';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { events, user } from './samples.ts';

/** The sample person, as the demonstration made it. */
export interface SamplePerson {
  readonly id: string;
  /** As the diary showed it then; whatever differs now is the user's. */
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

/** Notes what is about to be made, so that it can be removed whatever happens. */
export type NotePerson = (person: SamplePerson) => Promise<void>;

/** Makes the person, beside whoever is there, with a week of events and what is planned for them. */
export async function addPerson(
  { call, context }: Assistant,
  before: SamplePerson | undefined,
  note: NotePerson,
): Promise<SamplePerson> {
  const { users } = await call('listUsers', {}, context);
  let person = before;
  if (person === undefined || !users.some(({ id }) => id === person!.id)) {
    const id = free(user.id, (wanted) => users.some((other) => other.id === wanted), '-');
    const email = free(user.email, (wanted) => users.some((other) => other.email === wanted), '.sample');
    await note({ id, events: [] });
    const created = await call('createUser', { ...user, id, email }, context);
    person = { id, created, events: [] };
    await note(person);
  }
  for (const { day, hour, hours, id: wanted, ...event } of events) {
    const taken = (await found(call('getEvent', { event_id: wanted }, context))) !== undefined;
    const id = taken ? `${wanted}-${crypto.randomUUID()}` : wanted;
    person = { ...person, events: [...person.events, id] };
    await note(person);
    const start = Date.UTC(...today(), 0) + (day * 24 + hour) * 3_600_000;
    const times = {
      start_ts: new Date(start).toISOString(),
      end_ts: new Date(start + hours * 3_600_000).toISOString(),
    };
    await call('createEvent', { user_id: person.id, id, ...event, ...times }, context);
  }
  await call('planNotifications', { user_id: person.id }, context);
  return person;
}

export interface Removal {
  readonly events: number;
  /** Why the person stays; empty when it is gone. */
  readonly kept: readonly string[];
}

/** Removes the sample events, and the person unless somebody has added to it. */
export async function removePerson(assistant: Assistant, person: SamplePerson): Promise<Removal> {
  const { call, context, storedData } = assistant;
  const user_id = person.id;
  const now = await found(call('getUser', { user_id }, context));
  if (now === undefined) return { events: 0, kept: [] };
  const stored = await storedData(user_id);
  const own = new Set(person.events.filter((id) => stored.eventIds.includes(id)));
  const kept = await additions(assistant, person, now, stored.eventIds.length - own.size);
  const notifications = stored.notifications.filter(({ event_id }) => kept.length === 0 || own.has(event_id));
  await emptyOutbox(assistant, notifications);
  if (kept.length === 0) await call('deleteUser', { user_id }, context);
  else await removeEvents(assistant, user_id, own);
  return { events: own.size, kept };
}

/** What the user added to the sample person, in words. */
async function additions(
  { call, context }: Assistant,
  { id: user_id, created = user }: SamplePerson,
  now: object,
  events: number,
): Promise<readonly string[]> {
  const calendars = (await call('listCalendars', { user_id }, context)).count;
  const rules = (await call('listRules', { user_id }, context)).count;
  return [
    ...(calendars > 0 ? [counted(calendars, 'calendar')] : []),
    ...(events > 0 ? [counted(events, 'event')] : []),
    ...(rules > 0 ? [counted(rules, 'rule')] : []),
    ...(isDeepStrictEqual({ ...created, id: user_id }, { ...now, id: user_id })
      ? []
      : ['changed preferences']),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function removeEvents(
  { call, context, storedData }: Assistant,
  userId: string,
  own: ReadonlySet<string>,
): Promise<void> {
  for (const event_id of own) await call('deleteEvent', { event_id }, context);
  // Nobody wants to hear that a sample was cancelled.
  for (const { id, event_id, status } of (await storedData(userId)).notifications)
    if (status === 'planned' && own.has(event_id))
      await call('cancelNotification', { notification_id: id }, context);
}

/** Files in the outbox are named for their notification. */
async function emptyOutbox(
  { outboxDir }: Assistant,
  notifications: StoredData['notifications'],
): Promise<void> {
  const names = new Set(notifications.map(({ id }) => encodeURIComponent(id)));
  for (const file of await disk.readdir(outboxDir).catch(() => []))
    if (names.has(file.replace(/\..*$/, ''))) await disk.rm(join(outboxDir, file), { force: true });
}

/** The answer, or `undefined` where the call found nothing. */
async function found<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'resource-not-found') return undefined;
    throw error;
  }
}

/** The name itself, or one like it that nobody has: `demo-ada-2`, `ada.sample2@example.com`. */
function free(name: string, isTaken: (name: string) => boolean, mark: string): string {
  const [first = '', ...rest] = name.split(/(?=@)/);
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? name : `${first}${mark}${number}${rest.join('')}`;
    if (!isTaken(wanted)) return wanted;
  }
}

function today(): [number, number, number] {
  const now = new Date();
  return [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
}
