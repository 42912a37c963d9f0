import { instantOf, offsetsIn, wallOf } from '../../recurrence/zone.ts';
import type { CalendarEvent, Channel, EventKind, Notification, Origin, User } from '../../store/schema.ts';
import type { Answer, Series } from '../icalendar/series.ts';
import { resultTexts, textsFor } from '../messages/catalog.ts';
import type { Catalog } from '../messages/en.ts';
import { addressesOf, reachableBy } from './channels.ts';
import { hourOfDays, leadTime, partsOf, useAlarms } from './lead-times.ts';
import { meetingLink } from './meeting-link.ts';
import { invitation, type Occurrence } from './occurrence.ts';
import { channelForKind, channelsOf, preferencesOf, quietChannel, settingForKind } from './preferences.ts';

const dayMs = 86_400_000;
/** Days after the due date on which an open task is mentioned again. */
const overdueDays = [1, 2, 3];

/** The calendar of an event, as far as reminders depend on it. */
export interface EventCalendar {
  readonly id: string;
  readonly name: string;
  /** True if the user only reads the calendar, as with a public address. */
  readonly subscribed: boolean;
}

interface PersonalReminder {
  readonly offsetMinutes: number;
  readonly channel: Channel;
  readonly urgency: 'normal';
  readonly origin: Origin;
  readonly named?: true;
}

type Because = Pick<PersonalReminders, 'reason' | 'why'>;

interface PersonalReminders {
  readonly reason: string;
  /** The reason in the user's language. */
  readonly why: string;
  readonly reminders: readonly PersonalReminder[];
}

/** Lead times by kind of event, by `calendar:ID`, and under `default`. */
export type ReminderSettings = Readonly<Record<string, readonly string[]>>;

export function settingsOf({ reminders }: Pick<User, 'reminders'>): ReminderSettings {
  return reminders === null ? {} : (JSON.parse(reminders) as ReminderSettings);
}

/** The user's reminders for one occurrence. Those for the whole event have an empty key. */
function ownLeads(
  { reminders }: Pick<CalendarEvent, 'reminders'>,
  key: string,
): readonly string[] | undefined {
  if (reminders === null) return undefined;
  const byKey = JSON.parse(reminders) as Record<string, readonly string[]>;
  return byKey[key] ?? byKey[''];
}

/**
 * The reminders that the user asked for, or undefined if a policy decides. The first of these applies: reminders for the
 * event, alarms in an own calendar, settings for the kind of event, for the calendar, and for everything.
 */
export function personalReminders(
  user: User,
  event: CalendarEvent,
  occurrence: Occurrence,
  calendar?: EventCalendar,
): PersonalReminders | undefined {
  const { locale, timezone } = preferencesOf(user);
  const own = textsFor(locale);
  const because = (say: (texts: Catalog) => string): Because => ({ reason: say(resultTexts), why: say(own) });
  if (isDeclined(user, occurrence)) return { ...because(() => 'declined'), reminders: [] };
  if (event.provider === invitation && answerOf(user, occurrence) === 'needs-action')
    return { ...because(({ answers }) => answers['needs-action']), reminders: [] };
  const settings = settingsOf(user);
  const kind = kindOf(event, occurrence);
  const build = (
    leads: readonly string[],
    origin: 'event' | 'preference',
    reason: Because,
  ): PersonalReminders => {
    const times = leads.map((lead): NamedTime => {
      const { time, permitted, channel } = partsOf(lead);
      const isQuiet = permitted || (origin === 'event' && time.includes(':'));
      return {
        atMs: leadTime(lead, occurrence.startMs, timezone, event.all_day === 1),
        origin: isQuiet ? `${origin}-quiet` : origin,
        ...(channel !== undefined && { channel }),
      };
    });
    const overdue = kind === 'task' && times.length > 0 ? overdueTimes(occurrence.startMs, timezone) : [];
    return fromTimes(
      [...times, ...overdue.map((atMs) => ({ atMs, origin }))],
      occurrence,
      user,
      reason,
      kind,
    );
  };
  const leadsOfEvent = ownLeads(event, occurrence.key);
  if (leadsOfEvent !== undefined)
    return build(
      leadsOfEvent,
      'event',
      because(({ reasons }) => reasons.event),
    );
  const forCalendar = calendar === undefined ? undefined : settings[`calendar:${calendar.id}`];
  const alarms = alarmTimes(occurrence, timezone);
  const trusted = (isOwn(user, event) && calendar?.subscribed !== true) || forCalendar?.includes(useAlarms);
  if (alarms !== undefined && trusted)
    return fromTimes(
      alarms.map((atMs) => ({ atMs, origin: 'alarm' as const })),
      occurrence,
      user,
      because(({ reasons }) => reasons.alarm),
      kind,
    );
  const set = leadsFor(settings, kind, calendar?.id);
  if (set !== undefined)
    return build(
      set.leads,
      'preference',
      because(({ reasons, rules }) => {
        if (set.of === 'kind') return reasons.kind(rules.kinds[kind!]);
        return set.of === 'calendar' ? reasons.calendar(calendar!.name) : reasons.default;
      }),
    );
  return kind === 'task' || kind === 'birthday'
    ? build(
        defaultLeads[kind],
        'preference',
        because(({ rules }) => `${rules.builtIn}; ${rules.kinds[kind]}`),
      )
    : undefined;
}

/** The lead times that the user set for the kind of an event, or else for its calendar, or else for everything. */
function leadsFor(settings: ReminderSettings, kind: EventKind | undefined, calendarId: string | undefined) {
  const forKind = settingForKind(settings, kind);
  if (forKind !== undefined) return { of: 'kind', leads: forKind } as const;
  const forCalendar = settings[`calendar:${calendarId}`];
  const leads = forCalendar?.filter((lead) => lead !== useAlarms);
  if (leads !== undefined && (leads.length > 0 || forCalendar!.length === 0))
    return { of: 'calendar', leads } as const;
  const forAll = settings['default'];
  return forAll && ({ of: 'default', leads: forAll } as const);
}

interface NamedTime {
  readonly atMs: number;
  readonly origin: Origin;
  /** The channel that the user named for this time. */
  readonly channel?: Channel;
}

function fromTimes(
  times: readonly NamedTime[],
  { startMs }: Occurrence,
  user: User,
  because: Because,
  kind: EventKind | undefined,
): PersonalReminders {
  const { channelPref } = preferencesOf(user);
  const forKind = channelForKind(user, kind);
  const usual = forKind ? channelsOf(forKind)[0]! : quietChannel(channelPref, reachableBy(user));
  return {
    ...because,
    reminders: times
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs, origin, channel }) => ({
        offsetMinutes: offsetOf(atMs, startMs),
        channel: channel ?? usual,
        urgency: 'normal',
        origin,
        ...(channel !== undefined && { named: true }),
      })),
  };
}

/** Instants of the alarms of an occurrence, without those acknowledged in another program. Undefined without alarms. */
function alarmTimes({ alarms, startMs, endMs }: Occurrence, zone: string): readonly number[] | undefined {
  if (alarms === undefined) return undefined;
  const offsets = offsetsIn(zone);
  return alarms.flatMap((alarm) => {
    const anchor = alarm.fromEnd ? endMs : startMs;
    const atMs =
      alarm.atMs ??
      instantOf(wallOf(anchor, offsets) + alarm.offset.days * dayMs, offsets) + alarm.offset.seconds * 1000;
    return alarm.acknowledgedMs !== undefined && atMs <= alarm.acknowledgedMs ? [] : [atMs];
  });
}

/** Nine o'clock on the days after the due date. */
function overdueTimes(dueMs: number, zone: string): readonly number[] {
  const offsets = offsetsIn(zone);
  const day = Math.floor(wallOf(dueMs, offsets) / dayMs) * dayMs;
  return overdueDays.map((days) => instantOf(day + days * dayMs + hourOfDays * 60 * minuteMs, offsets));
}

/** Built-in reminders by kind. Travel time is added for places. Other events have one an hour before. */
export const defaultLeads: Readonly<Record<EventKind | 'default', readonly string[]>> = {
  task: ['09:00'],
  all_day: ['1d 17:00'],
  birthday: ['1d 17:00', '09:00'],
  flight: ['1d', '2h'],
  train: ['60m'],
  doctor: ['1d', '2h'],
  online: ['10m'],
  place: ['30m'],
  default: ['60m'],
};

/** A flight number with its airports, such as LH 400 FRA-JFK. */
const flightNumber = /(?<![A-Z0-9])[A-Z][A-Z0-9]\s?\d{1,4}\b[^\n]{0,40}?\b[A-Z]{3}\s?[-–—→>/]\s?[A-Z]{3}\b/u;
/** A train number, such as ICE 573, RE 5, TGV INOUI 6607 or AVE 03112. A number after EC or RE that looks like a year is none. */
const trainNumber =
  /(?<![\p{L}\d])(?:(?:ICE|IC|EC|ECE|IRE|RJX?|NJ)\s?[1-9]\d{1,4}|RE\s?(?!20[0-4]\d(?!\d))[1-9]\d{0,4}|AVE\s?\d{4,5}|(?:TGV|ALVIA|(?:TGV )?INOUI|OUIGO|Eurostar|Railjet|Nightjet|Thalys|Frecciarossa)\s(?:n[.o°]\s?)?\d{2,5})(?!\d|[.,:]\d|\s?[€%])/u;
/** A train without a number. `Train` alone is often a verb. */
const train =
  /(?<!\p{L})(eurostar|railjet|nightjet|thalys|ouigo|frecciarossa|trains? (?:to|from|ride|journey) \p{L}|zug(?:fahrt)? (?:nach|von) \p{L}|bahnfahrt|trajet en train|train (?:pour|vers) \p{L}|tren (?:a|de|para) \p{L})/iu;
const flight = /\b(flights?|flug|flüge|vols? [A-Z0-9]{2}|vuelos?)\b/iu;
const doctor =
  /(?<!\p{L})(doctor(?! (?:who|strange)\b)|dentist|physician|pediatrician|(\p{L}*arzt|\p{L}*ärztin)(termin)?|médecin|dentiste|médico|dentista)(?!\p{L})/iu;

/** In contacts, calendars and titles; Nextcloud writes only the cake. */
const birthday =
  /(?<!\p{L})(birthdays?|b-?day|geburtstage?|anniversaire(?! de (?:mariage|rencontre))|cumpleaños)(?!\p{L})|🎂/iu;

/** True for whole days every year that are called a birthday, or that an address book made. */
function isBirthday({ series }: Partial<Pick<CalendarEvent, 'series'>>, title: string): boolean {
  if (!series?.includes('FREQ=YEARLY')) return false;
  return birthday.test(title) || (JSON.parse(series) as Series).birthday === true;
}

/** What kind of event this is. The title is text from others: it only selects among the user's own settings. */
export function kindOf(
  event: Pick<CalendarEvent, 'kind' | 'all_day' | 'conf_link' | 'provider'> &
    Partial<Pick<CalendarEvent, 'series'>>,
  occurrence: Pick<Occurrence, 'title' | 'location' | 'description' | 'task'>,
): EventKind | undefined {
  const { title, location, task } = occurrence;
  if (event.kind) return event.kind;
  if (task !== undefined) return 'task';
  if (event.all_day === 1) return isBirthday(event, title) ? 'birthday' : 'all_day';
  // The letters of some trains also stand for an airline.
  if (trainNumber.test(title) || train.test(title)) return 'train';
  if (flight.test(title) || flightNumber.test(title)) return 'flight';
  if (doctor.test(title)) return 'doctor';
  const place = location?.trim() ?? '';
  if (meetingLink(event, occurrence) !== undefined || /^\w+:\/\//.test(place)) return 'online';
  return place === '' ? undefined : 'place';
}

/** The kind of a whole event, or of a series as it usually is. */
export function kindOfEvent(
  event: Parameters<typeof kindOf>[0] & Pick<CalendarEvent, 'title' | 'location' | 'description' | 'task'>,
): EventKind | undefined {
  const { title, location, description, task } = event;
  return kindOf(event, { title, location, description, ...(task !== null && { task }) });
}

const minuteMs = 60_000;

/** True if the user named this channel for a reminder of the occurrence, or in the setting that the reminder comes from. */
export function isNamedChannel(
  user: User,
  event: CalendarEvent,
  { occurrence, channel, origin }: Pick<Notification, 'occurrence' | 'channel' | 'origin'>,
): boolean {
  const set =
    origin === 'preference' || origin === 'preference-quiet'
      ? leadsFor(settingsOf(user), kindOfEvent(event), event.calendar_id ?? undefined)
      : undefined;
  const leads = ownLeads(event, occurrence) ?? set?.leads ?? [];
  return leads.some((lead) => partsOf(lead).channel === channel);
}

/** Whole minutes from the start to a reminder; negative before the start. */
function offsetOf(atMs: number, startMs: number): number {
  return Math.floor((atMs - startMs) / minuteMs) + 0;
}

/** Local days from the start to a reminder after it; 0 on the same day and before. */
export function daysAfter(offsetMinutes: number, startMs: number, zone: string): number {
  const offsets = offsetsIn(zone);
  const dayOf = (ms: number) => Math.floor(wallOf(ms, offsets) / dayMs);
  return Math.max(0, dayOf(startMs + offsetMinutes * minuteMs) - dayOf(startMs));
}

/** The user's answer to an invitation. Undefined if the user accepted, organizes the event, or is not in the list. */
export function answerOf(user: User, { answers }: Pick<Occurrence, 'answers'>): Answer | undefined {
  if (answers === undefined) return undefined;
  return [personKey(user), ...mailAddresses(user)]
    .map((address) => answers[address])
    .find((answer) => answer !== undefined);
}

/** Names a person of this server in the answers to an invitation. */
export function personKey({ id }: Pick<User, 'id'>): string {
  return `person:${id}`;
}

/** The mail addresses of a user, which identify the user in an event. */
function mailAddresses(user: User): readonly string[] {
  const listed = addressesOf(user.channels).filter(({ channel }) => channel === 'email');
  const all = [...(user.email === null ? [] : [user.email]), ...listed.map(({ address }) => address)];
  return all.map((address) => address.toLowerCase());
}

export function isDeclined(user: User, occurrence: Pick<Occurrence, 'answers'>): boolean {
  const answer = answerOf(user, occurrence);
  return answer === 'declined' || answer === 'delegated';
}

/** The mail address in a text such as `Ada <ada@example.com>`, in lower case. */
export function mailAddressIn(written: string): string | undefined {
  return /[^\s<>:,;"]+@[^\s<>:,;"]+/.exec(written)?.[0].toLowerCase();
}

/** True if nobody else organizes the event. */
export function isOwn(user: User, { organizer }: CalendarEvent): boolean {
  if (organizer === null) return true;
  const address = mailAddressIn(organizer);
  return address !== undefined && mailAddresses(user).includes(address);
}

/** True if the occurrence takes place and, if it is a task, is still to be done. */
export function isActive({ status, task }: Pick<Occurrence, 'status' | 'task'>): boolean {
  return status !== 'cancelled' && task !== 'done';
}
