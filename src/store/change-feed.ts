import { accessSync, constants, existsSync } from 'node:fs';
import { messageOf } from '../json.ts';
import { log } from '../log.ts';
import { type FollowedFile, followWrites } from './file-writes.ts';
import { SqliteFile } from './sqlite-file.ts';
import { type ChangeMessage, changeChannel, isPostgres, type Store, type StoreChange } from './store.ts';

const pollMs = 250;
const minBackoffMs = 250;
const maxBackoffMs = 5000;
/** Interval of the query that detects a connection that died silently. */
const heartbeatMs = 30_000;
const queryTimeoutMs = 10_000;
/** Allows for clock differences between machines. */
const slackMs = 60_000;

export interface Feed {
  close(): Promise<void>;
}

/** Dispatches changes by other processes to the store's subscribers. Calls `onChange` when anything may have changed. */
export function followChanges(store: Store, url: string, onChange: () => void = () => {}): Feed {
  return isPostgres(url) ? followPostgres(store, url, onChange) : followSqlite(store, onChange);
}

/** Reads SQLite's `data_version`, a cheap counter that increases when another connection commits, after a write and now and then. */
function followSqlite(store: Store, onChange: () => void): Feed {
  let reader: Awaited<ReturnType<typeof openReader>> | undefined;
  let replaced = false;
  const poll = async () => {
    try {
      if (reader?.isReplaced()) {
        reader.close();
        reader = undefined;
        replaced = true;
        file.watchAgain();
      }
      if (reader === undefined) {
        // The first write creates the file; until then there is nothing to follow.
        if (!existsSync(store.place) || isReadOnlyDisk(store.place)) return;
        reader = await openReader(store);
        if (replaced) store.dispatch(await missedChanges(store, Date.now()));
        replaced = false;
        onChange();
      }
      if (!reader.changed()) return;
      store.dispatch(reader.changes());
      onChange();
    } catch (error) {
      log('debug', `could not check ${store.place} for changes: ${messageOf(error)}`);
    }
  };
  const file: FollowedFile = followWrites(store.place, { apartMs: pollMs }, poll);
  return {
    async close() {
      await file.close();
      reader?.close();
    },
  };
}

/** Nobody changes a database there, and a connection would keep this process from writing when the disk is writable again. */
function isReadOnlyDisk(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** Reads the changes of other processes that were stored after the reader was opened. */
async function openReader({ place, origin: ownOrigin }: Store) {
  const file = await SqliteFile.open(place, pollMs, 'read');
  const version = () => file.all('pragma data_version')[0]?.['data_version'];
  try {
    let seenVersion = version();
    let last = Number(file.all('select coalesce(max(id), 0) as id from changes')[0]?.['id']);
    return {
      isReplaced: () => file.isReplaced,
      changed() {
        const before = seenVersion;
        seenVersion = version();
        return seenVersion !== before;
      },
      changes() {
        const rows = file.all('select id, origin, changes from changes where id > ? order by id', last);
        last = Number(rows.at(-1)?.['id'] ?? last);
        return rows
          .filter(({ origin }) => origin !== ownOrigin)
          .flatMap(({ changes }) => JSON.parse(String(changes)) as StoreChange[]);
      },
      close: () => file.close(),
    };
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Listens with LISTEN. Reconnects when the connection is lost, then scans for the changes it missed. */
function followPostgres(store: Store, url: string, onChange: () => void): Feed {
  const stop = new AbortController();
  let lastAliveMs: number | undefined;
  const sleepUnlessStopped = async (ms: number) => {
    const { setTimeout: sleep } = await import('node:timers/promises');
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  };
  const listen = async (connected: () => void) => {
    const { default: pg } = await import('pg');
    const { poolOptions } = await import('./postgres.ts');
    const client = new pg.Client({ ...poolOptions(url), query_timeout: queryTimeoutMs });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection was closed')));
    client.on('notification', ({ payload }) => {
      const { origin, changes } = parseMessage(payload);
      if (origin !== store.origin) store.dispatch(changes);
      onChange();
    });
    stop.signal.addEventListener('abort', () => reject(new Error('closed')), { once: true });
    try {
      await Promise.race([client.connect(), lost]);
      await Promise.race([client.query(`listen ${changeChannel}`), lost]);
      if (lastAliveMs !== undefined) store.dispatch(await missedChanges(store, lastAliveMs));
      connected();
      for (;;) {
        lastAliveMs = Date.now();
        await Promise.race([sleepUnlessStopped(heartbeatMs), lost]);
        await Promise.race([client.query('select 1'), lost]);
      }
    } finally {
      client.end().catch(() => undefined);
    }
  };
  const following = (async () => {
    for (let backoffMs = minBackoffMs; !stop.signal.aborted; ) {
      try {
        await listen(() => {
          backoffMs = minBackoffMs;
          onChange();
        });
      } catch (error) {
        if (stop.signal.aborted) return;
        log(
          'debug',
          `lost the connection that listens for changes; retrying in ${backoffMs} ms: ${messageOf(error)}`,
        );
        await sleepUnlessStopped(backoffMs);
        backoffMs = Math.min(backoffMs * 2, maxBackoffMs);
      }
    }
  })();
  return {
    async close() {
      stop.abort();
      await following;
    },
  };
}

function parseMessage(payload: string | undefined): ChangeMessage {
  try {
    return JSON.parse(payload ?? '') as ChangeMessage;
  } catch {
    return { origin: '', changes: [] };
  }
}

/**
 * Returns everything that may have changed since `sinceMs`, possibly too much. Deletions leave no trace, so all
 * users are included; subscribers then reload the users' lists.
 */
function missedChanges(store: Store, sinceMs: number): Promise<readonly StoreChange[]> {
  return store.read(async (db) => {
    const users = await db.selectFrom('users').select('id').execute();
    const events = await db
      .selectFrom('events')
      .select(['id', 'user_id'])
      .where('updated_ms', '>', sinceMs - slackMs)
      .execute();
    const kinds = await db.selectFrom('records').select('kind').distinct().execute();
    return [
      ...users.map(({ id }) => ({ kind: 'user', id, userId: id }) as const),
      ...events.map(({ id, user_id: userId }) => ({ kind: 'event', id, userId }) as const),
      ...kinds.map(({ kind: id }) => ({ kind: 'record', id, userId: '' }) as const),
    ];
  });
}
