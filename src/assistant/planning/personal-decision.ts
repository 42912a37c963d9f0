import type { CalendarEvent, Rule, User } from '../../store/schema.ts';
import type { Reader } from '../entities/entity-access.ts';
import type { Occurrence } from '../entities/occurrence.ts';
import { fewerReminders } from '../entities/rules.ts';
import type { Proposal } from '../policy/guards.ts';
import type { Decision } from '../policy/policy.ts';
import { type EventCalendar, personalReminders } from '../reminders/personal-reminders.ts';

/** The calendars of a user by id. */
export async function calendarsOf(db: Reader, userId: string): Promise<ReadonlyMap<string, EventCalendar>> {
  const rows = await db
    .selectFrom('calendars')
    .select(['id', 'name', 'kind'])
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ id, name, kind }) => [id, { id, name, subscribed: kind === 'url' }]));
}

export interface DecisionInput {
  readonly user: User;
  readonly event: CalendarEvent;
  readonly occurrence: Occurrence;
  readonly calendars: ReadonlyMap<string, EventCalendar>;
  readonly rules: readonly Rule[];
}

/** The decision of the user, or undefined if a policy decides. */
export function personalDecision(input: DecisionInput): Decision | undefined {
  const { user, event, occurrence, calendars } = input;
  const calendar = event.calendar_id === null ? undefined : calendars.get(event.calendar_id);
  const personal = personalReminders(user, event, occurrence, calendar);
  if (personal === undefined) return undefined;
  const { reason, why, reminders } = personal;
  return { policy: 'preference', reason, why, proposals: limit(reminders, input), provisional: false };
}

/** Applies the rules that the user made with "less like this". Reminders for a single event stay. */
export function limit(
  proposals: readonly Proposal[],
  { occurrence, rules }: Pick<DecisionInput, 'occurrence' | 'rules'>,
): readonly Proposal[] {
  const max = fewerReminders(occurrence.title, rules);
  if (max === undefined) return proposals;
  const own = proposals.filter(({ origin }) => origin === 'event' || origin === 'event-quiet');
  const others = proposals
    .filter((proposal) => !own.includes(proposal))
    .toSorted((a, b) => a.offsetMinutes - b.offsetMinutes);
  return [...own, ...(max === 0 ? [] : others.slice(-max))];
}
