import { sql } from 'kysely';
import { log } from '../../log.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Reader } from '../entities/entity-access.ts';

/** Kind of the records that say, as `position`, until when a process that sends notifications is known to run. */
const kind = 'sender';
const beatMs = 60_000;

/** Announces a process that sends notifications, by all channels or only by these. Returns a function that ends it. */
export function announceSender(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  owner: string,
  channels: readonly string[] = [],
): () => Promise<void> {
  const beat = () =>
    store
      .run(sql`insert into records (kind, key, value, position)
        values (${kind}, ${owner}, ${JSON.stringify({ channels })}, ${clock() + 2 * beatMs})
        on conflict (kind, key) do update set position = excluded.position`)
      .catch((error: unknown) => log('debug', 'the worker could not announce itself', error));
  void beat();
  const timer = setInterval(() => void beat(), beatMs);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await store.run(sql`delete from records where kind = ${kind} and key = ${owner}`).catch(() => undefined);
  };
}

/** True if a process is running that sends notifications by this channel, or, without a channel, by all of them. */
export async function hasSender(db: Reader, channel: string | undefined, nowMs: number): Promise<boolean> {
  const rows = await db
    .selectFrom('records')
    .select('value')
    .where('kind', '=', kind)
    .where('position', '>', nowMs)
    .execute();
  return rows.some(({ value }) => {
    const { channels = [] } = JSON.parse(value) as { channels?: readonly string[] };
    return channels.length === 0 || (channel !== undefined && channels.includes(channel));
  });
}
