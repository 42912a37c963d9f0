import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { replaceFile } from '../../atomic-file.ts';
import { log } from '../../log.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { inMemory } from '../../store/sqlite-file.ts';
import type { Clock, Store } from '../../store/store.ts';

/** Kind of the records that say, as `position`, until when a process that sends notifications is known to run. */
const kind = 'sender';
const beatMs = 60_000;

interface Sender {
  /** Absent or empty: it sends by all channels. */
  readonly channels?: readonly string[];
  /** Only in a file; a record has its `position`. */
  readonly untilMs?: number;
}

/** True while the database does not exist: the first write creates it, and nothing else may. */
const isMissing = ({ engine, place }: Store) =>
  engine === 'sqlite' && place !== inMemory && !existsSync(place);
/** Processes that wait for the first write announce themselves with a file here, so that it finds them. */
const waitingFolder = ({ place }: Store) => `${place}.senders`;

/**
 * Announces a process that sends notifications, by all channels or only by these. `beat` repeats it, for instance when the
 * database has been created; `end` takes it back.
 */
export function announceSender(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  owner: string,
  channels: readonly string[] = [],
): { beat(): void; end(): Promise<void> } {
  const file = join(waitingFolder(store), owner);
  const announce = async () => {
    const untilMs = clock() + 2 * beatMs;
    if (isMissing(store)) return replaceFile(file, JSON.stringify({ channels, untilMs }));
    await store.run(sql`insert into records (kind, key, value, position)
      values (${kind}, ${owner}, ${JSON.stringify({ channels })}, ${untilMs})
      on conflict (kind, key) do update set position = excluded.position`);
    rmSync(file, { force: true });
  };
  const beat = () =>
    void announce().catch((error: unknown) => log('debug', 'the worker could not announce itself', error));
  beat();
  const timer = setInterval(beat, beatMs);
  timer.unref();
  return {
    beat,
    async end() {
      clearInterval(timer);
      try {
        rmSync(file, { force: true });
        if (!isMissing(store))
          await store.run(sql`delete from records where kind = ${kind} and key = ${owner}`);
      } catch (error) {
        log('debug', 'the worker could not take its announcement back', error);
      }
    },
  };
}

/** True if a process is running that sends notifications by this channel, or, without a channel, by all of them. */
export async function hasSender(store: Store, channel: string | undefined, nowMs: number): Promise<boolean> {
  const senders = [...waitingSenders(store, nowMs), ...(await recordedSenders(store, nowMs))];
  return senders.some(
    ({ channels = [] }) => channels.length === 0 || (channel !== undefined && channels.includes(channel)),
  );
}

async function recordedSenders(store: Store, nowMs: number): Promise<readonly Sender[]> {
  if (isMissing(store)) return [];
  const rows = await store.read((db) =>
    db.selectFrom('records').select('value').where('kind', '=', kind).where('position', '>', nowMs).execute(),
  );
  return rows.map(({ value }) => JSON.parse(value) as Sender);
}

function waitingSenders(store: Store, nowMs: number): readonly Sender[] {
  const folder = waitingFolder(store);
  if (store.engine !== 'sqlite' || !existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    try {
      const sender = JSON.parse(readRegularFileSync(join(folder, name))) as Sender;
      return (sender.untilMs ?? 0) > nowMs ? [sender] : [];
    } catch {
      // Its process removes the file at this moment, or has not written all of it.
      return [];
    }
  });
}
