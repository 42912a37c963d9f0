import type { CalendarEvent, Channel, Origin, User } from '../../store/schema.ts';
import { reachableBy } from '../entities/channels.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { channelsOf, preferencesOf } from '../entities/preferences.ts';
import { instantOf, offsetsOf, wallOf } from '../icalendar/zone.ts';
import { type Catalog, resultTexts, textsFor } from '../messages/catalog.ts';
import { defaultLeads, kindOf } from './event-kind.ts';
import { leadTime, offsetOf } from './lead-time.ts';
import { isDeclined, isOwn } from './participation.ts';

const dayMs = 86_400_000;
/** Days after the due date on which an open task is mentioned again. */
const overdueDays = [1, 2, 3];
/** In the settings of a calendar: use its own alarms, even for events that others organize. */
const useAlarms = 'alarms';

/** The calendar of an event, as far as reminders depend on it. */
export interface EventCalendar {
  readonly id: string;
  readonly name: string;
  /** True if the user only reads the calendar, as with a public address. */
  readonly subscribed: boolean;
}

export interface PersonalReminder {
  readonly offsetMinutes: number;
  readonly channel: Channel;
  readonly urgency: 'normal';
  readonly origin: Origin;
}

type Because = Pick<PersonalReminders, 'reason' | 'why'>;

export interface PersonalReminders {
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
  const settings = settingsOf(user);
  const kind = kindOf(event, occurrence);
  const build = (leads: readonly string[], origin: Origin, reason: Because): PersonalReminders => {
    const times = leads.map((lead) => ({
      atMs: leadTime(lead, occurrence.startMs, timezone),
      origin: origin === 'event' && lead.endsWith('!') ? ('event-quiet' as const) : origin,
    }));
    const overdue = kind === 'task' && times.length > 0 ? overdueTimes(occurrence.startMs, timezone) : [];
    return fromTimes([...times, ...overdue.map((atMs) => ({ atMs, origin }))], occurrence, user, reason);
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
    );
  const forKind = kind === undefined ? undefined : settings[kind];
  if (kind !== undefined && forKind !== undefined)
    return build(
      forKind,
      'preference',
      because(({ reasons, rules }) => reasons.kind(rules.kinds[kind])),
    );
  const leads = forCalendar?.filter((lead) => lead !== useAlarms);
  if (leads !== undefined && (leads.length > 0 || forCalendar!.length === 0))
    return build(
      leads,
      'preference',
      because(({ reasons }) => reasons.calendar(calendar!.name)),
    );
  if (settings['default'] !== undefined)
    return build(
      settings['default'],
      'preference',
      because(({ reasons }) => reasons.default),
    );
  return kind === 'task'
    ? build(
        defaultLeads.task,
        'preference',
        because(({ rules }) => `${rules.builtIn}; ${rules.kinds.task}`),
      )
    : undefined;
}

function fromTimes(
  times: readonly { readonly atMs: number; readonly origin: Origin }[],
  { startMs }: Occurrence,
  user: User,
  because: Because,
): PersonalReminders {
  const channel = quietChannel(user);
  return {
    ...because,
    reminders: times
      .toSorted((a, b) => a.atMs - b.atMs)
      .map(({ atMs, origin }) => ({
        offsetMinutes: offsetOf(atMs, startMs),
        channel,
        urgency: 'normal',
        origin,
      })),
  };
}

/** Instants of the alarms of an occurrence, without those acknowledged in another program. Undefined without alarms. */
function alarmTimes({ alarms, startMs, endMs }: Occurrence, zone: string): readonly number[] | undefined {
  if (alarms === undefined) return undefined;
  const offsets = offsetsOf(zone) ?? (() => 0);
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
  const offsets = offsetsOf(zone) ?? (() => 0);
  const day = Math.floor(wallOf(dueMs, offsets) / dayMs) * dayMs;
  return overdueDays.map((days) => instantOf(day + days * dayMs + 9 * 3_600_000, offsets));
}

/** The preferred channel that does not ring. */
function quietChannel(user: User): Channel {
  const reachable = reachableBy(user);
  const preferred =
    channelsOf(preferencesOf(user).channelPref).find((channel) => channel !== 'call') ?? 'email';
  return reachable.includes(preferred)
    ? preferred
    : (reachable.find((channel) => channel !== 'call') ?? preferred);
}
