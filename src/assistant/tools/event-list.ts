import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { type PageRequest, pageOf } from '../../paging.ts';
import { readRange } from '../../recurrence/written-range.ts';
import type { CalendarEvent } from '../../store/schema.ts';
import { answerTo } from '../editing/guests.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { invitation, type Window } from '../entities/occurrence.ts';
import type { Listed } from '../entities/occurrence-list.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { occurrenceView } from '../entities/view.ts';
import { matcher } from './event-words.ts';
import { localTimesLength } from './local-times.ts';

const dayMs = 86_400_000;
/** Long events that started up to this long before the window are listed too. A longer reach would slow every call. */
const reachMs = 31 * dayMs;
/** Without a range: from two days ago for thirty days, or for two years if words are searched. */
const [defaultBack, defaultForward, searchForward] = [2, 30, 731];
/** More years than this in one call cost more than they tell. */
const maxYears = 20;
/** Tasks that are open are listed up to this long after they were due, unless the request has a start. */
const overdueDays = 366;
/** If nothing that matches lies ahead, so many of the last matches before are listed. */
const maxPast = 10;
const farYears = 20;

export interface ListRequest {
  readonly userId: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly query?: string | undefined;
  /** Only tasks, or only other events. */
  readonly tasks?: boolean | undefined;
  readonly daysBack?: number | undefined;
  readonly daysForward?: number | undefined;
  readonly page: PageRequest;
  /** Leave out fields that the document of the contract assistant does not have. */
  readonly documented?: boolean;
}

/** Lists the occurrences in a range of time, for the tool and the resource. */
export async function eventList(data: AssistantData, request: ListRequest) {
  const { listOccurrences } = await import('../entities/occurrence-list.ts');
  const { userId, query, tasks, page, documented = false } = request;
  const withOverdue = tasks === true && request.from === undefined && request.daysBack === undefined;
  const window = await windowOf(data, withOverdue ? { ...request, daysBack: overdueDays } : request);
  const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
  const matches = matcherOf(query, tasks);
  const list = (part: Window & { readonly reachMs?: number }) =>
    data.store.read((db) => listOccurrences(data, db, part, userId, matches));
  // What starts before the last listed entry was on earlier pages.
  const isLater = after !== undefined && after.startMs > window.fromMs;
  const { listed: all, truncated } = await list(
    isLater ? { ...window, fromMs: after.startMs } : { ...window, reachMs },
  );
  const listed = withOverdue ? withoutSettled(all, data.clock() - defaultBack * dayMs) : all;
  const ahead = after === undefined ? listed : listed.filter((one) => isAfter(one, after));
  const found = [...ahead];
  if (after === undefined && query !== undefined && request.from === undefined)
    for (const [part, count] of elsewhere(window, request.to === undefined))
      if (found.length === 0) found.push(...(await list(part)).listed.slice(...count));
  const before = after?.position ?? 0;
  const toView = ({ event, occurrence, zone }: Listed) => ({
    ...occurrenceView(event, occurrence, zone),
    ...(!documented && { ...present({ show_as: occurrence.showAs }), ...ownAnswer(event) }),
  });
  const { items: events, next } = pageOf(found, toView, { limit: page.limit }, localTimesLength);
  return {
    events,
    count: before + found.length,
    ...(next.next_cursor !== undefined && {
      next_cursor: writeCursor(found[events.length - 1]!, before + events.length),
    }),
    ...(truncated && { truncated }),
  };
}

/** Where a search that found nothing goes on: in the past, and then far away. So many of the nearest matches count. */
function elsewhere({ fromMs, toMs }: Window, isOpen: boolean) {
  const [near, far] = [fromMs - searchForward * dayMs, fromMs - farYears * 366 * dayMs];
  return [
    [{ fromMs: near, toMs: fromMs }, [-maxPast]],
    ...(isOpen ? [[{ fromMs: toMs, toMs: toMs + farYears * 366 * dayMs }, [0, maxPast]] as const] : []),
    [{ fromMs: far, toMs: near }, [-maxPast]],
  ] as const;
}

function matcherOf(query: string | undefined, tasks: boolean | undefined) {
  const hasWords = query === undefined ? () => true : matcher(query);
  if (tasks === undefined) return query === undefined ? undefined : hasWords;
  return (event: CalendarEvent, texts: readonly (string | null)[]) =>
    (event.task !== null) === tasks && hasWords(event, texts);
}

/** Of the tasks that were due before this time, only open ones are left, and of a repeated one the last date. */
function withoutSettled(listed: readonly Listed[], untilMs: number): readonly Listed[] {
  const isOld = ({ occurrence }: Listed) => occurrence.startMs < untilMs;
  const overdue = listed.filter((one) => isOld(one) && one.occurrence.task === 'open');
  const last = new Map(overdue.map((one) => [one.event.id, one]));
  return listed.filter((one) => !isOld(one) || last.get(one.event.id) === one);
}

/** What the person has answered to the invitation of somebody on this server. */
export function ownAnswer(event: CalendarEvent) {
  return event.provider === invitation ? { answer: answerTo(event) } : {};
}

/** What decides which range of time is listed. With a query, it ends later. */
export type RangeRequest = Pick<ListRequest, 'userId' | 'from' | 'to' | 'query' | 'daysBack' | 'daysForward'>;

/** The range of time that a request means, in the zone and language of its person. */
export async function windowOf(
  { store, clock }: AssistantData,
  { userId, from, to, query, daysBack = defaultBack, daysForward }: RangeRequest,
): Promise<Window> {
  const nowMs = clock();
  const user = await store.read((db) =>
    userId === undefined
      ? db.selectFrom('users').selectAll().orderBy('created_ms').limit(1).executeTakeFirst()
      : findUser(db, userId),
  );
  const { timezone = 'UTC', locale = 'en' } = user === undefined ? {} : preferencesOf(user);
  const { startMs, endMs, isTime } = await readRange({ from, to }, timezone, nowMs, locale, {
    mayBePast: true,
  });
  const toMs = endMs === undefined ? undefined : isTime ? endMs : endMs - 1;
  const forwardMs = (daysForward ?? (query === undefined ? defaultForward : searchForward)) * dayMs;
  const before = nowMs - daysBack * dayMs;
  const fromMs = startMs ?? (toMs === undefined || toMs > before ? before : toMs - forwardMs);
  const window = { fromMs, toMs: toMs ?? (startMs === undefined ? nowMs : fromMs) + forwardMs };
  if (window.toMs < window.fromMs)
    throw new Failure('invalid-params', `to (${to}) is before from (${from ?? `${daysBack} days ago`}).`);
  if (window.toMs - window.fromMs > maxYears * 366 * dayMs)
    throw new Failure('invalid-params', `from and to are more than ${maxYears} years apart.`);
  return window;
}

// ── Cursor ─────────────────────────────────────────────────────────────────────────────────────────────────

/** The last listed entry. The next page begins after it, also if earlier entries were added or deleted meanwhile. */
interface Position {
  readonly startMs: number;
  readonly id: string;
  readonly key: string;
  /** Number of entries up to here, for the count. */
  readonly position: number;
}

function writeCursor({ event, occurrence }: Listed, position: number): string {
  return Buffer.from(JSON.stringify([occurrence.startMs, event.id, occurrence.key, position])).toString(
    'base64url',
  );
}

function readCursor(cursor: string): Position {
  try {
    const [startMs, id, key, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[];
    if (Number.isFinite(startMs) && typeof id === 'string' && typeof key === 'string')
      return { startMs: Number(startMs), id, key, position: Number(position) || 0 };
  } catch {}
  throw new Failure('invalid-params', 'cursor is not a next_cursor of list_events.', {
    issues: [{ path: ['cursor'], keyword: 'format', expected: 'next_cursor', message: 'is unknown' }],
  });
}

function isAfter({ event, occurrence }: Listed, { startMs, id, key }: Position): boolean {
  if (occurrence.startMs !== startMs) return occurrence.startMs > startMs;
  return event.id === id ? occurrence.key > key : event.id > id;
}
