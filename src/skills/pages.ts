import { Failure } from '../failure.ts';

/** A page ends after this much weight, so that a list of large skills stays a message of moderate size. */
const maxWeight = 500;

/**
 * The page after the cursor. The cursor names the last item sent, so a change of the list between two requests neither
 * repeats nor skips other items. Items must be sorted by address.
 */
export function pageOf<Item extends { readonly uri: string }>(
  items: readonly Item[],
  cursor: string | null | undefined,
  weightOf: (item: Item) => number = () => 1,
): { readonly items: readonly Item[]; readonly nextCursor?: string } {
  const after = cursor ? uriOf(cursor) : '';
  const rest = items.filter(({ uri }) => uri > after);
  let weight = 0;
  const end = rest.findIndex((item, index) => {
    weight += weightOf(item);
    return index > 0 && weight > maxWeight;
  });
  if (end < 0) return { items: rest };
  return { items: rest.slice(0, end), nextCursor: cursorOf(rest[end - 1]!.uri) };
}

function cursorOf(uri: string): string {
  return Buffer.from(uri).toString('base64url');
}

function uriOf(cursor: string): string {
  const uri = Buffer.from(cursor, 'base64url').toString();
  if (uri.startsWith('skill://') && cursorOf(uri) === cursor) return uri;
  throw new Failure('invalid-params', 'The cursor is invalid. Start again without a cursor.');
}
