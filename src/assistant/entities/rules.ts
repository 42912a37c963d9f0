import { Failure } from '../../failure.ts';
import { newId } from '../../store/id.ts';
import type { CalendarEvent, Rule, RuleType } from '../../store/schema.ts';
import { auditChange } from './decision-log.ts';
import { type AssistantData, findUser, notFound, type Reader } from './entity-access.ts';
import { meetingLink } from './meeting-link.ts';
import { mailAddressIn } from './reminders.ts';

/** Settings of a rule; each type uses one of them. */
export interface RuleConfig {
  /** `vip_organizer`: email addresses, or domains that start with `@`. */
  readonly organizers?: readonly string[];
  /** `internal_meeting`: email domains of colleagues. */
  readonly domains?: readonly string[];
  /** `travel_buffer`: how many minutes earlier to remind. */
  readonly minutes?: number;
  /** `fewer_reminders`: events with this title get at most `max` reminders, or 1. */
  readonly title?: string;
  readonly max?: number;
}

/** Returns the enabled rules of a user, highest priority first. */
export function rulesOf(db: Reader, userId: string): Promise<readonly Rule[]> {
  return db
    .selectFrom('rules')
    .selectAll()
    .where('user_id', '=', userId)
    .where('enabled', '=', 1)
    .orderBy('priority', 'desc')
    .orderBy('id')
    .execute();
}

export function configOf(rule: Rule): RuleConfig {
  return JSON.parse(rule.config) as RuleConfig;
}

/** True if the user called the event important, or a VIP organizes it. */
export function isImportant(
  event: Pick<CalendarEvent, 'important' | 'organizer'>,
  rules: readonly Rule[],
): boolean {
  if (event.important === 1) return true;
  const organizer = mailAddressIn(event.organizer ?? '') ?? '';
  return rules.some(
    (rule) =>
      rule.rule_type === 'vip_organizer' &&
      (configOf(rule).organizers ?? []).some((vip) => matchesVip(organizer, vip.toLowerCase())),
  );
}

/** True if the organizer and all attendees are colleagues. */
export function isInternal(event: CalendarEvent, rules: readonly Rule[]): boolean {
  const attendees = event.attendees === null ? [] : (JSON.parse(event.attendees) as string[]);
  const people = [...attendees, ...(event.organizer === null ? [] : [event.organizer])].map(
    (person) => mailAddressIn(person) ?? '',
  );
  return rules.some((rule) => {
    const domains = (configOf(rule).domains ?? []).map(
      (domain) => `@${domain.toLowerCase().replace(/^@/, '')}`,
    );
    return (
      rule.rule_type === 'internal_meeting' &&
      people.length > 0 &&
      people.every((person) => domains.some((domain) => person.endsWith(domain)))
    );
  });
}

/** Travel time in minutes; 0 for events without a place and for online meetings. */
export function travelMinutes(event: CalendarEvent, location: string | null, rules: readonly Rule[]): number {
  const place = location?.trim() ?? '';
  if (place === '' || /^\w+:\/\//.test(place) || meetingLink(event, { location }) !== undefined) return 0;
  const rule = rules.find(({ rule_type }) => rule_type === 'travel_buffer');
  return rule === undefined ? 0 : (configOf(rule).minutes ?? 0);
}

/** How many reminders the user wants of events with this title; undefined without a limit. */
export function fewerReminders(title: string, rules: readonly Rule[]): number | undefined {
  const limits = rules
    .filter(({ rule_type }) => rule_type === 'fewer_reminders')
    .map(configOf)
    .filter((config) => config.title !== undefined && titleKey(config.title) === titleKey(title))
    .map(({ max = 1 }) => max);
  return limits.length === 0 ? undefined : Math.min(...limits);
}

/** Titles that differ only in case, spaces and numbers, such as "Sprint 12", count as the same. */
export function titleKey(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[\d\s]+/g, ' ')
    .trim();
}

function matchesVip(address: string, vip: string): boolean {
  return address !== '' && (vip.startsWith('@') ? address.endsWith(vip) : address === vip);
}

// ── Editing rules ──────────────────────────────────────────────────────────────────────────────────────────

export function listRules({ store }: AssistantData, userId: string): Promise<readonly Rule[]> {
  return store.read(async (db) => {
    await findUser(db, userId);
    const query = db.selectFrom('rules').selectAll().where('user_id', '=', userId);
    return query.orderBy('priority', 'desc').orderBy('id').execute();
  });
}

export interface RuleFields {
  readonly type: RuleType;
  readonly config: RuleConfig;
  readonly priority: number;
  readonly enabled: boolean;
}

/** Creates a rule, or replaces the rule with this id. */
export async function setRule(
  { store, clock }: AssistantData,
  userId: string,
  id: string | undefined,
  { type, config, priority, enabled }: RuleFields,
): Promise<Rule> {
  const now = clock();
  const needed = {
    vip_organizer: 'organizers',
    internal_meeting: 'domains',
    travel_buffer: 'minutes',
    fewer_reminders: 'title',
  } as const;
  if (config[needed[type]] === undefined)
    throw new Failure('invalid-params', `A rule of type ${type} requires ${needed[type]} in rule_json.`, {
      issues: [
        { path: ['rule_json', needed[type]], keyword: 'required', expected: null, message: 'is required' },
      ],
    });
  return store.write(async (writer) => {
    await findUser(writer.db, userId);
    const fields = {
      rule_type: type,
      config: JSON.stringify(config),
      priority,
      enabled: enabled ? 1 : 0,
      updated_ms: now,
    };
    const rule =
      id === undefined
        ? await writer.db
            .insertInto('rules')
            .values({ ...fields, id: newId(now), user_id: userId, created_ms: now })
            .returningAll()
            .executeTakeFirstOrThrow()
        : await writer.db
            .updateTable('rules')
            .set(fields)
            .where('id', '=', id)
            .where('user_id', '=', userId)
            .returningAll()
            .executeTakeFirst();
    if (rule === undefined) return notFound('rule');
    await auditChange(writer, now, { action: 'rule.set', userId, detail: { rule: rule.id, type } });
    return rule;
  });
}

export function deleteRule({ store, clock }: AssistantData, id: string): Promise<void> {
  return store.write(async (writer) => {
    const [rule] = await writer.db.deleteFrom('rules').where('id', '=', id).returningAll().execute();
    if (rule === undefined) return notFound('rule');
    const entry = { action: 'rule.deleted', userId: rule.user_id, detail: { rule: id } };
    await auditChange(writer, clock(), entry);
  });
}
