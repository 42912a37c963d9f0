import { monthNamed } from './recurrence-words.ts';
import { inDigits, parseTime } from './written-time.ts';
import { nextMidnight, offsetsIn, wallOf } from './zone.ts';

const dayMs = 86_400_000;
const units = {
  week: /\b(?:week|woche|semaine|semana)\b/,
  weekend: /\b(?:weekend|wochenende|week-end|fin de semana)\b/,
  month: /\b(?:month|monats?|mois|mes)\b/,
  year: /\b(?:year|jahr|année|año)(?!\p{L})/u,
};
const shifts: readonly (readonly [number, RegExp])[] = [
  [1, /\b(?:next|nächste[nrsm]?|kommende[nrsm]?|prochaine?|próxim[oa])(?!\p{L})/u],
  [0, /\b(?:this|current|diese[nrsm]?|cet?|cette|est[ea])\b/],
  [-1, /\b(?:last|past|letzte[nrsm]?|vergangene[nrsm]?|derni(?:er|ère)|pasad[oa])(?!\p{L})/u],
];
const fillers = /\b(?:the|on|in|at|of|le|la|el|am|im|der|dem|den|das)\b/g;

/** Local days, the last one included, as milliseconds of midnight in UTC. */
type Days = readonly [firstMs: number, lastMs: number];

/** The days of a phrase such as `next week`, `this weekend`, `june 2027`. Undefined if the phrase names no such period. */
function periodOf(written: string, nowWallMs: number): Days | undefined {
  const today = Math.floor(nowWallMs / dayMs) * dayMs;
  const now = new Date(today);
  const text = written.trim().toLowerCase().slice(0, 100).replaceAll(fillers, ' ').trim();
  const [, numberedYear, numbered] = /^(\d{4})-(\d\d)$/.exec(text) ?? [];
  if (numbered !== undefined && Number(numbered) >= 1 && Number(numbered) <= 12)
    return monthOf(Number(numberedYear), Number(numbered) - 1);
  const [, name = '', year] = /^(\p{L}+)\.?(?: (\d{4}))?$/u.exec(text) ?? [];
  const month = monthNamed(name);
  if (month !== undefined) {
    const nextOne = now.getUTCFullYear() + (month < now.getUTCMonth() ? 1 : 0);
    return monthOf(year === undefined ? nextOne : Number(year), month);
  }
  const unit = (['weekend', 'week', 'month', 'year'] as const).find((one) => units[one].test(text));
  const [shift, word] = shifts.find(([, pattern]) => pattern.test(text)) ?? [];
  if (
    unit === undefined ||
    word === undefined ||
    text.replace(units[unit], '').replace(word, '').trim() !== ''
  )
    return undefined;
  if (unit === 'month') return monthOf(now.getUTCFullYear(), now.getUTCMonth() + shift!);
  if (unit === 'year') {
    const named = now.getUTCFullYear() + shift!;
    return [Date.UTC(named, 0, 1), Date.UTC(named, 11, 31)];
  }
  const monday = today - ((now.getUTCDay() + 6) % 7) * dayMs + shift! * 7 * dayMs;
  return [unit === 'week' ? monday : monday + 5 * dayMs, monday + 6 * dayMs];
}

function monthOf(year: number, month: number): Days {
  return [Date.UTC(year, month, 1), Date.UTC(year, month + 1, 0)];
}

export interface WrittenRange {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

interface Range {
  readonly startMs?: number;
  readonly endMs?: number;
  /** The end is a time of day, and not a whole day. */
  readonly isTime?: true;
}

/**
 * Reads the start and the end of a range of time. A day as the end is included, and so is a period such as `next week`. A period as
 * the start is the whole range, if there is no end. The end is exclusive.
 */
export async function readRange(
  { from, to }: WrittenRange,
  zone: string,
  nowMs: number,
  locale: string,
  {
    mayBePast = false,
    names: [first, last] = ['from', 'to'],
  }: { mayBePast?: boolean; names?: readonly [string, string] } = {},
): Promise<Range> {
  const nowWallMs = wallOf(nowMs, offsetsIn(zone));
  const dayOf = (wallMs: number) =>
    parseTime(new Date(wallMs).toISOString().slice(0, 10), zone, first, nowMs).ms;
  const read = async (written: string, field: string, afterMs = nowMs) =>
    parseTime(await inDigits(written, zone, nowMs, locale, field, afterMs, mayBePast), zone, field, nowMs);
  const during = from === undefined ? undefined : periodOf(from, nowWallMs);
  const until = to === undefined ? during : periodOf(to, nowWallMs);
  const startMs = during ? dayOf(during[0]) : from === undefined ? undefined : (await read(from, first)).ms;
  if (until) return { ...(startMs !== undefined && { startMs }), endMs: nextMidnight(dayOf(until[1]), zone) };
  const end = to === undefined ? undefined : await read(to, last, startMs);
  return {
    ...(startMs !== undefined && { startMs }),
    ...(end && (end.allDay ? { endMs: nextMidnight(end.ms, zone) } : { endMs: end.ms, isTime: true })),
  };
}
