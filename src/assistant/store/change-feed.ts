import { existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { missedChanges } from './missed-change-scan.ts';
import { type ChangeMessage, changeChannel, isPostgres, type Store, type StoreChange } from './store.ts';

const pollMs = 250;
const firstPauseMs = 250;
const longestPauseMs = 5000;
/** A connection that died without a word is found out after this long. */
const pulseMs = 30_000;
const patienceMs = 10_000;

export interface Feed {
  close(): Promise<void>;
}

/** Brings the changes that other processes make: to the listeners of the store, and to whoever only wants to look again. */
export function followChanges(store: Store, url: string, look: () => void = () => {}): Feed {
  return isPostgres(url) ? followPostgres(store, url, look) : followSqlite(store, look);
}

/** SQLite counts the commits of others; reading the count costs next to nothing. */
function followSqlite(store: Store, look: () => void): Feed {
  let reader: Awaited<ReturnType<typeof openReader>> | undefined;
  let replaced = false;
  const poll = async () => {
    try {
      if (reader?.isGone()) {
        reader.close();
        reader = undefined;
        replaced = true;
      }
      if (reader === undefined) {
        // Whoever first writes makes the file; there is nothing to follow before.
        if (!existsSync(store.place)) return;
        reader = await openReader(store);
        if (replaced) store.dispatch(await missedChanges(store, Date.now()));
        replaced = false;
        look();
      }
      if (!reader.changed()) return;
      store.dispatch(reader.changes());
      look();
    } catch (error) {
      log('debug', `cannot look for changes: ${messageOf(error)}`);
    }
  };
  let polling = poll();
  const timer = setInterval(() => {
    polling = polling.then(poll);
  }, pollMs);
  return {
    async close() {
      clearInterval(timer);
      await polling;
      reader?.close();
    },
  };
}

async function openReader(store: Store) {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(store.place, { readOnly: true, timeout: pollMs });
  const inode = () => statSync(store.place, { throwIfNoEntry: false })?.ino;
  const opened = inode();
  try {
    return { ...readerOf(database, store.origin), isGone: () => inode() !== opened };
  } catch (error) {
    database.close();
    throw error;
  }
}

function readerOf(database: DatabaseSync, own: string) {
  const version = database.prepare('pragma data_version');
  const newest = database.prepare('select coalesce(max(id), 0) as id from changes');
  const since = database.prepare('select id, origin, changes from changes where id > ? order by id');
  let counted = version.get()?.['data_version'];
  let last = Number(newest.get()?.['id']);
  return {
    changed() {
      const before = counted;
      counted = version.get()?.['data_version'];
      return counted !== before;
    },
    changes() {
      const rows = since.all(last);
      last = Number(rows.at(-1)?.['id'] ?? last);
      return rows
        .filter(({ origin }) => origin !== own)
        .flatMap(({ changes }) => JSON.parse(String(changes)) as StoreChange[]);
    },
    close: () => database.close(),
  };
}

/** PostgreSQL calls. The connection is made again whenever it is lost, and what was missed meanwhile is looked for. */
function followPostgres(store: Store, url: string, look: () => void): Feed {
  const stop = new AbortController();
  let heardMs: number | undefined;
  const pause = async (ms: number) => {
    const { setTimeout: sleep } = await import('node:timers/promises');
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  };
  const listen = async (connected: () => void) => {
    const { default: pg } = await import('pg');
    const { poolOptions } = await import('./postgres.ts');
    const client = new pg.Client({ ...poolOptions(url), query_timeout: patienceMs });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection has ended')));
    client.on('notification', ({ payload }) => {
      const { origin, changes } = parseMessage(payload);
      if (origin !== store.origin) store.dispatch(changes);
      look();
    });
    stop.signal.addEventListener('abort', () => reject(new Error('closed')), { once: true });
    try {
      await Promise.race([client.connect(), lost]);
      await Promise.race([client.query(`listen ${changeChannel}`), lost]);
      if (heardMs !== undefined) store.dispatch(await missedChanges(store, heardMs));
      connected();
      for (;;) {
        heardMs = Date.now();
        await Promise.race([pause(pulseMs), lost]);
        await Promise.race([client.query('select 1'), lost]);
      }
    } finally {
      client.end().catch(() => undefined);
    }
  };
  const following = (async () => {
    for (let pauseMs = firstPauseMs; !stop.signal.aborted; ) {
      try {
        await listen(() => {
          pauseMs = firstPauseMs;
          look();
        });
      } catch (error) {
        if (stop.signal.aborted) return;
        log('debug', `listening for changes again in ${pauseMs} ms: ${messageOf(error)}`);
        await pause(pauseMs);
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
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
