/** Clients cut or move results from 12,000 characters on, so a page stays below that with some room for its other fields. */
const pageCharacters = 9_000;

/** Tool arguments of a list. */
export const pageArguments = {
  limit: { type: 'integer', minimum: 1, description: 'Items per page' },
  cursor: { type: 'string', pattern: '^[0-9]{1,9}$', description: 'next_cursor of the last page' },
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
] as const;

/** Cuts long lists and texts inside a value until it fits on a page. */
export function shorten<Value>(value: Value): { readonly value: Value; readonly isShortened: boolean } {
  const fits = (one: unknown) => JSON.stringify(one).length <= pageCharacters;
  if (fits(value)) return { value, isShortened: false };
  let short = value;
  for (const [items, characters] of cuts) {
    short = cut(value, items, characters) as Value;
    if (fits(short)) break;
  }
  return { value: short, isShortened: true };
}

function cut(value: unknown, items: number, characters: number): unknown {
  if (typeof value === 'string')
    return value.length > characters ? `${value.slice(0, characters - 1).toWellFormed()}…` : value;
  if (Array.isArray(value)) return value.slice(0, items).map((one) => cut(one, items, characters));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, cut(one, items, characters)]));
}
