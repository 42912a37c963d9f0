import { isObject, messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { changeChannel, isPostgres, type Store, type StoreChange } from '../store/store.ts';

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
export function followChanges(store: Store, url: string, look: () => void): Feed {
  return isPostgres(url) ? followPostgres(store, url, look) : followSqlite(store, look);
}

/** SQLite counts the commits of others; reading the count costs next to nothing. */
function followSqlite(store: Store, look: () => void): Feed {
  let closed = false;
  const following = (async () => {
    const { DatabaseSync } = await import('node:sqlite');
    // Whoever uses the store makes its file; there is nothing to follow before.
    await store.read(async () => undefined);
    if (closed) return undefined;
    const database = new DatabaseSync(store.place, { readOnly: true });
    const version = database.prepare('pragma data_version');
    let last = version.get()?.['data_version'];
    const timer = setInterval(() => {
      try {
        const now = version.get()?.['data_version'];
        if (now !== last) look();
        last = now;
      } catch (error) {
        log('debug', `cannot look for changes: ${messageOf(error)}`);
      }
    }, pollMs);
    timer.unref();
    return () => {
      clearInterval(timer);
      database.close();
    };
  })().catch((error: unknown) => {
    log('warning', `changes of other processes are seen late: ${messageOf(error)}`);
    return undefined;
  });
  return {
    async close() {
      closed = true;
      (await following)?.();
    },
  };
}

/** PostgreSQL calls. The connection is made again whenever it is lost, and what was missed meanwhile is looked for. */
function followPostgres(store: Store, url: string, look: () => void): Feed {
  const stop = new AbortController();
  const pause = async (ms: number) => {
    const { setTimeout: sleep } = await import('node:timers/promises');
    await sleep(ms, undefined, { signal: stop.signal }).catch(() => undefined);
  };
  const listen = async (connected: () => void) => {
    const { default: pg } = await import('pg');
    const { poolOptions } = await import('../store/postgres.ts');
    const client = new pg.Client({ ...poolOptions(url), query_timeout: patienceMs });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection has ended')));
    client.on('notification', ({ payload }) => {
      const changes = parseChanges(payload);
      store.dispatch(changes);
      look();
    });
    stop.signal.addEventListener('abort', () => reject(new Error('closed')), { once: true });
    try {
      await Promise.race([client.connect(), lost]);
      await Promise.race([client.query(`listen ${changeChannel}`), lost]);
      connected();
      for (;;) {
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

function parseChanges(payload: string | undefined): StoreChange[] {
  try {
    const changes: unknown = JSON.parse(payload ?? '[]');
    return Array.isArray(changes) ? (changes.filter(isObject) as unknown as StoreChange[]) : [];
  } catch {
    return [];
  }
}
