import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { isZone } from '../../recurrence/zone.ts';
import { newId } from '../../store/id.ts';
import { planningTurns } from '../../store/planning-turns.ts';
import {
  type CalendarEvent,
  type EventKind,
  eventKinds,
  type NewUser,
  type User,
  type UserUpdate,
} from '../../store/schema.ts';
import type { Writer } from '../../store/store.ts';
import { attendPerson } from '../attention/store-attention.ts';
import {
  allowedSchemes,
  channelPreferences,
  channelsCalled,
  parseAddress,
  reachableBy,
} from '../entities/channels.ts';
import { auditChange } from '../entities/decision-log.ts';
import {
  type AssistantData,
  findEvent,
  findUser,
  lockUser,
  notFound,
  type Reader,
  rowOf,
  updateRow,
} from '../entities/entity-access.ts';
import { builtIn, demandChannel, readLeads, wordOfLead } from '../entities/lead-times.ts';
import { invitation } from '../entities/occurrence.ts';
import { findOccurrence } from '../entities/occurrence-list.ts';
import { kindChannels, preferencesOf } from '../entities/preferences.ts';
import { type ReminderSettings, settingsOf } from '../entities/reminders.ts';
import { planDigest } from '../planning/digest.ts';
import { replanEvent, replanUser } from '../planning/replanning.ts';
import { forgetChanges } from './kept-changes.ts';
import { pauseOf } from './pause.ts';

type Fields = Omit<
  UserUpdate,
  | 'id'
  | 'created_ms'
  | 'updated_ms'
  | 'reminders'
  | 'channels'
  | 'kind_channels'
  | 'pause_until_ms'
  | 'pause_from_ms'
> & {
  readonly kind_channels?: Readonly<Record<string, string>>;
  /** Local times, in digits or in words. */
  readonly pause_from?: string;
  readonly pause_until?: string;
  /** The last day of the pause, included. */
  readonly pause_to?: string;
  readonly reminders?: ReminderSettings;
  readonly channels?: readonly string[];
};
type NewFields = Fields & Pick<NewUser, 'name'> & { readonly id?: string };

export function listUsers({ store }: AssistantData): Promise<readonly User[]> {
  return store.read((db) => db.selectFrom('users').selectAll().orderBy('name').orderBy('id').execute());
}

/** Creates a user. Without a time zone, the user gets the one of this machine, which stays when the machine moves. */
export async function createUser({ store, clock }: AssistantData, given: NewFields): Promise<User> {
  const fields = tidy(given);
  checkZone(fields.timezone);
  const now = clock();
  const { reminders: _r, channels, kind_channels: _k, pause_from, pause_until, pause_to, ...others } = fields;
  const zone = fields.timezone ?? systemZone();
  const row = {
    ...others,
    ...(await pauseOf({ pause_from, pause_until, pause_to }, zone, fields.locale, now)),
    ...(channels && { channels: checkChannels(channels) }),
    id: fields.id ?? newId(now),
    timezone: zone,
    created_ms: now,
    updated_ms: now,
  };
  return store.write(async (writer) => {
    await refuseTaken(writer.db, row.id, fields);
    await checkHome(writer.db, row.id, fields.home_calendar);
    const made = await writer.db.insertInto('users').values(row).returningAll().executeTakeFirstOrThrow();
    const user = await withSettings(writer, made, fields);
    await auditChange(writer, now, { action: 'user.created', userId: user.id });
    return user;
  });
}

export async function updateUser(
  data: AssistantData,
  id: string,
  given: Fields,
  unset: readonly (keyof Fields)[],
): Promise<User> {
  const fields = tidy(given);
  checkZone(fields.timezone);
  const now = data.clock();
  const { reminders: _r, channels, kind_channels: _k, pause_from, pause_until, pause_to, ...others } = fields;
  const known = await data.store.read((db) => findUser(db, id));
  const zone = fields.timezone ?? preferencesOf(known).timezone;
  const pause = await pauseOf(
    { pause_from, pause_until, pause_to },
    zone,
    fields.locale ?? known.locale,
    now,
    known,
  );
  return data.store.write(async (writer) => {
    const before = await findUser(writer.db, id);
    await refuseTaken(writer.db, undefined, fields, id);
    await checkHome(writer.db, id, fields.home_calendar);
    const listed = channels && { channels: checkChannels(channels) };
    // Without its end, there is no pause.
    const names = unset.flatMap((name) =>
      name === 'pause_until' || name === 'pause_to' ? ['pause_until', 'pause_from'] : [name],
    );
    const cleared = Object.fromEntries(
      names.map((name) => [
        name.startsWith('pause_') ? `${name}_ms` : name,
        name === 'timezone' ? systemZone() : null,
      ]),
    );
    const row = { ...others, ...listed, ...pause, ...cleared, updated_ms: now };
    const user = await withSettings(writer, await updateRow(writer.db, 'users', id, row), fields, before);
    const detail = { changed: [...Object.keys(fields), ...unset] };
    await auditChange(writer, now, { action: 'user.updated', userId: id, detail });
    await replanUser(writer, data, user, now);
    await attendPerson(writer, await lockUser(writer.db, id), now);
    await planDigest(writer, data, user, now);
    return user;
  });
}

/** Deletes a user and all data about them; only an audit row about the deletion remains. */
export function deleteUser({ store, clock }: AssistantData, id: string): Promise<void> {
  const now = clock();
  return store.write(async (writer) => {
    await findUser(writer.db, id);
    const own = writer.db.selectFrom('events').select('id').where('user_id', '=', id);
    await writer.db
      .deleteFrom('events')
      .where('provider', '=', invitation)
      .where('provider_event_id', 'in', own)
      .execute();
    await writer.db.deleteFrom('audit').where('user_id', '=', id).execute();
    await writer.db.deleteFrom('users').where('id', '=', id).execute();
    await writer.db.deleteFrom('records').where('kind', '=', planningTurns).where('key', '=', id).execute();
    await forgetChanges(writer, id);
    await auditChange(writer, now, { action: 'user.deleted', userId: id });
  });
}

async function refuseTaken(db: Reader, id: string | undefined, { email }: Fields, own = ''): Promise<void> {
  if (id !== undefined && (await rowOf(db, 'users', id)))
    throw new Failure(
      'conflict',
      `A user with the id "${id}" already exists; choose another id or update that user.`,
    );
  if (typeof email !== 'string') return;
  const other = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', email)
    .where('id', '!=', own)
    .executeTakeFirst();
  if (other !== undefined)
    throw new Failure('conflict', `The email address ${email} is already used by the user "${other.id}".`);
}

/** New events can only be stored in an own calendar that can be written. */
async function checkHome(db: Reader, userId: string, id: string | null | undefined): Promise<void> {
  if (id === undefined || id === null) return;
  const calendar = await rowOf(db, 'calendars', id);
  if (calendar?.user_id !== userId) notFound('calendar');
  if (calendar.kind === 'caldav' && !calendar.config?.includes('"tasks_only"')) return;
  throw new Failure(
    'refused',
    `"${calendar.name}" stores no new events: they need a CalDAV calendar that is no task list. list_calendars shows the kinds.`,
  );
}

/** Refuses addresses of unknown services. The message repeats no address, because it can contain a secret. */
function checkChannels(channels: readonly string[]): string | null {
  const invalid = channels.find((written) => parseAddress(written) === undefined);
  if (invalid !== undefined)
    throw new Failure(
      'invalid-params',
      `channels has an invalid address that begins with "${invalid.split(':')[0]}:"; use one of ${allowedSchemes.join(', ')}.`,
    );
  return channels.length === 0 ? null : JSON.stringify(channels);
}

/** The time zone of this machine. */
function systemZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  // A machine without zone files can name an unknown one, such as Etc/Unknown.
  return isZone(zone) ? zone : 'UTC';
}

export function checkZone(zone: string | null | undefined): void {
  if (typeof zone !== 'string' || isZone(zone)) return;
  const city = zone.trim().toLowerCase().replaceAll(' ', '_');
  const meant = Intl.supportedValuesOf('timeZone').find((name) => name.toLowerCase().endsWith(`/${city}`));
  const advice = meant === undefined ? 'use a name like Europe/Berlin.' : `Did you mean ${meant}?`;
  throw new Failure('invalid-params', `"${zone}" is not a time zone; ${advice}`, {
    issues: [
      {
        path: ['timezone'],
        keyword: 'format',
        expected: 'time-zone',
        message: `is not a time zone (${zone}); use a name like Europe/Berlin`,
      },
    ],
  });
}

/** Writes a phone number without spaces, and times with two digits. */
function tidy<One extends Fields>(fields: One): One {
  const { phone_e164, quiet_start, quiet_end } = fields;
  return {
    ...fields,
    ...present({
      phone_e164: phone_e164?.replaceAll(/[^+\d]/g, ''),
      quiet_start: quiet_start?.padStart(5, '0'),
      quiet_end: quiet_end?.padStart(5, '0'),
    }),
  };
}

/**
 * Stores the settings that name channels. A channel that uses the address of another one, as text messages do with the phone
 * number, gets it once the user asks for the channel. An address that is added does not change the usual channel.
 */
async function withSettings(
  { db }: Writer,
  user: User,
  { reminders = {}, kind_channels = {}, channel_pref }: Fields,
  before = user,
): Promise<User> {
  const leads = Object.values(reminders).flat();
  const wanted = [...leads.map(wordOfLead), ...Object.values(kind_channels), channel_pref].flatMap((word) =>
    word ? channelsCalled(word) : [],
  );
  const added = wanted.flatMap(({ name, address: { schemes, sameAs } }) => {
    const address = sameAs && user[sameAs];
    return address && !reachableBy(user).includes(name) ? [`${schemes[0]}:${address}`] : [];
  });
  const listed = user.channels === null ? [] : (JSON.parse(user.channels) as string[]);
  const channels = [...new Set([...listed, ...added])];
  const extended = added.length === 0 ? user : { ...user, channels: JSON.stringify(channels) };
  const own = (word: string, known: readonly string[]) =>
    known.includes(word) ? word : demandChannel(extended, word);
  const kinds = Object.entries(kind_channels).map(([kind, word]) => [kind, own(word, ['both', builtIn])]);
  const usual = preferencesOf(before).channelPref;
  const [had, has] = [before, extended].map(reachableBy);
  const isOther = !had!.includes(preferencesOf(extended).channelPref) && has!.includes(usual);
  const pref = channel_pref ? own(channel_pref, channelPreferences) : isOther ? usual : undefined;
  return updateRow(db, 'users', user.id, {
    channels: extended.channels,
    reminders: mergeReminders(extended, reminders),
    kind_channels: mergeKindChannels(user, Object.fromEntries(kinds)),
    ...present({ channel_pref: pref }),
  });
}

/** Merges new channels into those of a user. `default` removes a channel. */
function mergeKindChannels(
  user: Pick<User, 'kind_channels'>,
  given: Readonly<Record<string, string>>,
): string | null {
  const unknown = Object.keys(given).find((name) => !(eventKinds as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new Failure(
      'invalid-params',
      `kind_channels has no kind "${unknown}"; use ${eventKinds.join(', ')}.`,
    );
  const merged = Object.entries({ ...kindChannels(user), ...given }).filter(
    ([, channel]) => channel !== builtIn,
  );
  return merged.length === 0 ? null : JSON.stringify(Object.fromEntries(merged));
}

/** What the user says about an event itself: what kind it is, and whether it is important. Imports do not change it. */
export function setEventTraits(
  data: AssistantData,
  id: string,
  { kind, important }: EventTraits,
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    const fields = {
      ...(kind !== undefined && { kind: kind === builtIn ? null : kind }),
      ...(important !== undefined && { important: important ? 1 : 0 }),
    };
    const event = await updateRow(writer.db, 'events', id, { ...fields, updated_ms: now });
    const subject = { userId: before.user_id, eventId: id };
    await auditChange(writer, now, {
      action: 'event.updated',
      ...subject,
      detail: { changed: Object.keys(fields) },
    });
    return event;
  });
}

/** Gives the later part of a series, which is an event of its own now, what the user set for the whole series. */
export function copyEventSettings(
  { store, clock }: AssistantData,
  from: string,
  to: string,
): Promise<CalendarEvent> {
  return store.write(async ({ db, changed }) => {
    const { reminders, kind, important } = await findEvent(db, from);
    const event = await updateRow(db, 'events', to, { reminders, kind, important, updated_ms: clock() });
    changed({ kind: 'event', id: to, userId: event.user_id });
    return event;
  });
}

export interface EventTraits {
  /** `default`: what the program recognizes. */
  readonly kind?: EventKind | 'default' | undefined;
  readonly important?: boolean | undefined;
}

/** Merges new lead times into those of a user. `["default"]` removes a setting; an empty list means no reminders. */
function mergeReminders(user: User, given: ReminderSettings): string | null {
  const known: readonly string[] = [...eventKinds, 'default', 'digest'];
  for (const name of Object.keys(given)) {
    if (known.includes(name) || /^calendar:./.test(name)) continue;
    throw new Failure(
      'invalid-params',
      `reminders has no kind "${name}"; use ${known.join(', ')} or calendar:ID with an id from list_calendars.`,
    );
  }
  if (
    given['digest']?.some((time) => !/^(\d\d:\d\d|default)$/.test(time)) ||
    (given['digest']?.length ?? 0) > 1
  )
    throw new Failure('invalid-params', 'reminders.digest must be one time of day, like ["07:30"].');
  const short = Object.entries(given).map(([name, leads]) => [name, readLeads(user, leads, name)] as const);
  const merged = Object.entries({ ...settingsOf(user), ...Object.fromEntries(short) }).filter(
    ([, leads]) => leads[0] !== builtIn,
  );
  return merged.length === 0 ? null : JSON.stringify(Object.fromEntries(merged));
}

/** Sets the user's own reminders for an event or one occurrence, also of an imported calendar. */
export function setEventReminders(
  data: AssistantData,
  id: string,
  leads: readonly string[] | undefined,
  occurrence = '',
): Promise<CalendarEvent> {
  const now = data.clock();
  return data.store.write(async (writer) => {
    const before = await findEvent(writer.db, id);
    const user = await findUser(writer.db, before.user_id);
    if (occurrence !== '') await findOccurrence(data, before, occurrence, preferencesOf(user).timezone);
    const reminders = withReminders(before, leads, occurrence);
    const event = await updateRow(writer.db, 'events', id, { reminders, updated_ms: now });
    const detail = { ...(occurrence !== '' && { occurrence }), reminders: [...(leads ?? [])] };
    await auditChange(writer, now, { action: 'event.reminders_set', userId: user.id, eventId: id, detail });
    await replanEvent(writer, data, user, event, now);
    return event;
  });
}

/** The `reminders` column with new lead times; undefined removes them. */
export function withReminders(
  { reminders }: Pick<CalendarEvent, 'reminders'>,
  leads: readonly string[] | undefined,
  occurrence = '',
): string | null {
  const { [occurrence]: _, ...others } =
    reminders === null ? {} : (JSON.parse(reminders) as Record<string, readonly string[]>);
  const merged = leads === undefined ? others : { ...others, [occurrence]: leads };
  return Object.keys(merged).length === 0 ? null : JSON.stringify(merged);
}
