import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import { events, user } from './samples.ts';

/** The sample person, as the demonstration made it. */
export interface SamplePerson {
  readonly id: string;
  /** As the diary showed it then; whatever differs now is the user's. */
  readonly created?: JsonObject;
  readonly events: readonly string[];
}

/** Calls a tool of the assistant; `undefined` where there is no such tool. */
export type CallTool = (tool: string, args: object) => Promise<object | undefined>;
/** Notes what is about to be made, so that it can be removed whatever happens. */
export type NotePerson = (person: SamplePerson) => Promise<void>;

/** Makes the person, beside whoever is there, with a week of events and what is planned for them. */
export async function addPerson(
  call: CallTool,
  before: SamplePerson | undefined,
  note: NotePerson,
): Promise<SamplePerson | undefined> {
  const listed = await call('listUsers', {});
  if (listed === undefined) return undefined;
  const users = entriesOf(listed, 'users');
  let person = before;
  if (person === undefined || !users.some(({ id }) => id === person!.id)) {
    const id = free(user.id, (wanted) => users.some((other) => other['id'] === wanted), '-');
    const email = free(user.email, (wanted) => users.some((other) => other['email'] === wanted), '.sample');
    await note({ id, events: [] });
    const created = (await call('createUser', { ...user, id, email })) as JsonObject;
    person = { id, created, events: [] };
    await note(person);
  }
  for (const { day, hour, hours, id: wanted, ...event } of events) {
    const taken = (await find(call, 'getEvent', { event_id: wanted })) !== undefined;
    const id = taken ? `${wanted}-${crypto.randomUUID()}` : wanted;
    person = { ...person, events: [...person.events, id] };
    await note(person);
    const start = Date.UTC(...today(), 0) + (day * 24 + hour) * 3_600_000;
    const times = {
      start_ts: new Date(start).toISOString(),
      end_ts: new Date(start + hours * 3_600_000).toISOString(),
    };
    await call('createEvent', { user_id: person.id, id, ...event, ...times });
  }
  await call('planNotifications', { user_id: person.id });
  return person;
}

export interface Removal {
  readonly events: number;
  /** Why the person stays; empty when it is gone. */
  readonly kept: readonly string[];
}

/** Removes the sample events, and the person unless somebody has added to it. */
export async function removePerson(
  call: CallTool,
  person: SamplePerson,
  outboxDir: string,
): Promise<Removal> {
  const found = await find(call, 'getUser', { user_id: person.id });
  if (found === undefined) return { events: 0, kept: [] };
  const own = new Set<string>();
  for (const event_id of person.events) {
    const event = await find(call, 'getEvent', { event_id });
    if (isObject(event) && event['user_id'] === person.id) own.add(event_id);
  }
  const kept = await additions(call, person, found, own);
  await emptyOutbox(call, person, outboxDir, kept.length === 0 ? undefined : own);
  if (kept.length === 0) await call('deleteUser', { user_id: person.id });
  else await removeEvents(call, person, own);
  return { events: own.size, kept };
}

/** What the user did to the sample person, in words. */
async function additions(
  call: CallTool,
  { id, created = user }: SamplePerson,
  found: object,
  own: ReadonlySet<string>,
): Promise<readonly string[]> {
  const user_id = id;
  const calendars = entriesOf(await call('listCalendars', { user_id }), 'calendars').length;
  const rules = entriesOf(await call('listRules', { user_id }), 'rules').length;
  // As far back and ahead as people plan: what is not found here is lost with the person.
  const century = { days_back: 36_500, days_forward: 36_500 };
  const others = new Set(
    entriesOf(await call('listEvents', { user_id, ...century }), 'events').map((event) => event['id']),
  );
  for (const one of own) others.delete(one);
  const { id: _, ...made } = created as JsonObject;
  const { id: __, ...now } = found as JsonObject;
  return [
    ...(calendars > 0 ? [counted(calendars, 'calendar')] : []),
    ...(others.size > 0 ? [counted(others.size, 'event')] : []),
    ...(rules > 0 ? [counted(rules, 'rule')] : []),
    ...(isDeepStrictEqual(made, now) ? [] : ['changed preferences']),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

async function removeEvents(call: CallTool, { id }: SamplePerson, own: ReadonlySet<string>): Promise<void> {
  for (const event_id of own) await call('deleteEvent', { event_id });
  // Nobody wants to hear that a sample was cancelled.
  for (const { id: notification_id, event_id } of await notificationsOf(call, id, 'planned'))
    if (own.has(String(event_id))) await call('cancelNotification', { notification_id });
}

/** Files in the outbox are named for their notification. */
async function emptyOutbox(
  call: CallTool,
  { id }: SamplePerson,
  outboxDir: string,
  only: ReadonlySet<string> | undefined,
): Promise<void> {
  const ids = new Set(
    (await notificationsOf(call, id))
      .filter(({ event_id }) => only === undefined || only.has(String(event_id)))
      .map((notification) => encodeURIComponent(String(notification['id']))),
  );
  for (const file of await disk.readdir(outboxDir).catch(() => []))
    if (ids.has(file.replace(/\..*$/, ''))) await disk.rm(join(outboxDir, file), { force: true });
}

async function notificationsOf(
  call: CallTool,
  user_id: string,
  status?: string,
): Promise<readonly JsonObject[]> {
  const window = { days_back: 365, days_forward: 30 };
  const listed = await call('listNotifications', { user_id, ...window, ...(status && { status }) });
  return entriesOf(listed, 'notifications');
}

async function find(call: CallTool, tool: string, args: object): Promise<object | undefined> {
  try {
    return await call(tool, args);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'resource-not-found') return undefined;
    throw error;
  }
}

/** What a tool listed; nothing where there is no such tool. */
function entriesOf(listed: object | undefined, key: string): readonly JsonObject[] {
  const all = isObject(listed) ? listed[key] : undefined;
  return Array.isArray(all) ? (all as JsonObject[]) : [];
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
