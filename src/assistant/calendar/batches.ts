import { Pace } from '../../awaitable.ts';

/** Events per transaction; other writers can run between batches. */
const batchSize = 200;

/** Serves other requests in between: the end of a series may take some time to compute. */
export async function mapWithPauses<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const pace = new Pace();
  const results: Result[] = [];
  for (const item of items) {
    results.push(await map(item));
    const { pause } = pace;
    if (pause !== undefined) await pause;
  }
  return results;
}

export function* chunks<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += batchSize) yield items.slice(from, from + batchSize);
}
