import { truncate } from './single-line.ts';

/** Clients cut or move results from 12,000 characters on, so a page stays below that with some room for its other fields. */
const pageCharacters = 9_000;

/** Tool arguments of a list. */
export const pageArguments = {
  limit: { type: 'integer', minimum: 1, description: 'Page size' },
  cursor: { type: 'string', pattern: '^[0-9]{1,9}$', description: 'From next_cursor' },
} as const;

/** The field of a result that leads to the next page. It is absent on the last one. */
export const nextPage = {
  next_cursor: { type: 'string', description: 'Pass as cursor for the next page' },
} as const;

/** Arguments for callers that show a whole list to a person. */
export const wholeList = { limit: 1_000_000 } as const;

export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: { readonly next_cursor?: string };
}

/** Returns the requested number of items, or as many as fit on a page, but at least one. */
export function pageOf<Entry, Item>(
  entries: readonly Entry[],
  toItem: (entry: Entry) => Item,
  { limit, cursor = '0' }: PageRequest,
  /** Characters that are added to each item later. */
  extra = 0,
): Page<Item> {
  const start = Number(cursor);
  const items: Item[] = [];
  let characters = 0;
  for (const entry of entries.slice(start, limit === undefined ? undefined : start + limit)) {
    const item = toItem(entry);
    characters += JSON.stringify(item).length + 1 + extra;
    if (limit === undefined && characters > pageCharacters && items.length > 0) break;
    items.push(item);
  }
  const end = start + items.length;
  return { items, next: end < entries.length ? { next_cursor: String(end) } : {} };
}

/** Returns the last items that fit on a page, but at least one. */
export function lastPageOf<Item>(items: readonly Item[]): readonly Item[] {
  const { items: kept } = pageOf(items.toReversed(), (item) => item, {});
  return kept.toReversed();
}

/** Most items of a list and most characters of a text, from generous to strict. */
const cuts = [
  [50, 4000],
  [20, 2000],
  [10, 1000],
  [5, 500],
  [3, 250],
  [1, 120],
] as const;

/** Cuts long lists and texts inside a value until it and its text, if a client reads that instead, fit on a page. */
export function shorten<Value>(
  value: Value,
  toText: (value: Value) => string = () => '',
): { readonly value: Value; readonly isShortened: boolean } {
  const fits = (one: Value) =>
    JSON.stringify(one).length <= pageCharacters && toText(one).length <= pageCharacters;
  if (fits(value)) return { value, isShortened: false };
  let short = value;
  for (const [items, characters] of cuts) {
    short = cut(value, items, characters) as Value;
    if (fits(short)) break;
  }
  return { value: short, isShortened: true };
}

/** Argument of a tool whose result is shortened by default. */
export const fullArgument = {
  full: { type: 'boolean', default: false, description: 'Do not shorten' },
} as const;

/** How many items `fitLists` left out of each list. */
export const omittedItems = {
  omitted: {
    type: 'object',
    description: 'Number of items left out, by list',
    additionalProperties: { type: 'integer' },
  },
} as const;

/** Leaves items out of the named lists until the value fits on a page, first out of the last list. Reports how many. */
export function fitLists<Value extends object>(
  value: Value,
  ...names: readonly (keyof Value & string)[]
): Value & Omitted {
  return fitListsWith(0, value, ...names);
}

interface Omitted {
  readonly omitted?: Readonly<Record<string, number>>;
}

/** The same for items that get this many more characters later. */
export function fitListsWith<Value extends object>(
  extra: number,
  value: Value,
  ...names: readonly (keyof Value & string)[]
): Value & Omitted {
  const listOf = (name: keyof Value): readonly unknown[] => (value[name] ?? []) as readonly unknown[];
  const short = { ...value } as Record<string, unknown>;
  for (const name of names) if (name in value) short[name] = [];
  let left = pageCharacters - JSON.stringify(short).length;
  const omitted: Record<string, number> = {};
  for (const name of names) {
    const kept: unknown[] = [];
    for (const item of listOf(name)) {
      left -= JSON.stringify(item).length + 1 + extra;
      if (left < 0) break;
      kept.push(item);
    }
    if (name in value) short[name] = kept;
    if (kept.length < listOf(name).length) omitted[name] = listOf(name).length - kept.length;
  }
  return { ...(short as Value), ...(Object.keys(omitted).length > 0 && { omitted }) };
}

function cut(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string') return truncate(value, characters);
  if (Array.isArray(value)) return value.slice(0, items).map((one) => cut(one, items, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, items, characters)]));
}
