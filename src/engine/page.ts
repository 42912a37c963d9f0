import type { JsonObject } from '../json.ts';
import type { Server } from './server.ts';

/** Returns the requested page of a list, with the items in the contract's format. */
export function page<Item>(
  { contract }: Server,
  key: string,
  items: readonly Item[],
  shape: (item: Item) => JsonObject,
  params: Readonly<Record<string, unknown>>,
): JsonObject {
  const { cursor } = params;
  const start = contract.startOf(cursor);
  const end = start + contract.pageSize;
  return {
    [key]: items.slice(start, end).map(shape),
    ...contract.nextCursor(end < items.length ? String(end) : undefined, cursor),
  };
}

export function asIs(item: JsonObject): JsonObject {
  return item;
}
