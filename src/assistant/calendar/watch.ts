import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Calendar } from '../../store/schema.ts';
import { type Calendars, syncCalendar } from './sync.ts';

export interface CalendarWatch {
  /** Syncs all due calendars and resolves when they are done. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** How often due calendars are looked up; each calendar has its own sync interval. */
const pollMs = 15_000;
/** Longer than a sync can take; if this process dies, another one takes over after this time. */
const leaseMs = 15 * 60_000;
/** Calendars synced at the same time, so that a slow one does not block the others. */
const maxConcurrent = 4;
/** Programs write a file in several steps; wait until they are done. */
const debounceMs = 200;

/**
 * Keeps calendars up to date: URLs and accounts at intervals, files and folders when they change. Any number of processes
 * may run this at the same time; each sync is done by one of them.
 */
export function watchCalendars(calendars: Calendars): CalendarWatch {
  const { store, clock } = calendars.data;
  const stop = new AbortController();
  const watchers = new Map<string, { readonly location: string; readonly watcher: FSWatcher }>();
  const debounced = new Map<string, NodeJS.Timeout>();
  const inProgress = new Map<string, Promise<void>>();
  let running: Promise<void> | undefined;
  let again = false;

  const syncDueCalendars = async () => {
    const rows = await store.read((db) =>
      db.selectFrom('calendars').selectAll().where('enabled', '=', 1).orderBy('next_sync_ms').execute(),
    );
    updateWatchers(rows);
    for (const calendar of rows) {
      if ((calendar.next_sync_ms ?? 0) > clock() || inProgress.has(calendar.id)) continue;
      if (inProgress.size >= maxConcurrent) await Promise.race(inProgress.values());
      if (stop.signal.aborted) return;
      const claimed = await claim(calendars, calendar);
      if (claimed === undefined) continue;
      const work = trySync(calendars, claimed, stop.signal).finally(() => inProgress.delete(calendar.id));
      inProgress.set(calendar.id, work);
    }
  };

  const check = (): Promise<void> => {
    again = true;
    running ??= (async () => {
      while (again && !stop.signal.aborted) {
        again = false;
        await syncDueCalendars();
      }
    })()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log('warning', 'could not check for calendars to sync', error);
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  /** Watches exactly the files and folders in the list. */
  const updateWatchers = (rows: readonly Calendar[]) => {
    const watched = new Map(
      rows.filter(({ kind }) => kind === 'file' || kind === 'folder').map((row) => [row.id, row]),
    );
    for (const [id, { watcher, location }] of watchers) {
      if (watched.get(id)?.location === location) continue;
      watcher.close();
      watchers.delete(id);
    }
    for (const [id, calendar] of watched) {
      if (watchers.has(id) || stop.signal.aborted) continue;
      const watcher = watchFiles(calendar, () => syncSoon(id));
      if (watcher === undefined) continue;
      watchers.set(id, { location: calendar.location, watcher });
      // The file may have changed between the last sync and the start of this watcher.
      syncSoon(id);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(id);
      });
    }
  };

  const syncSoon = (id: string) => {
    clearTimeout(debounced.get(id));
    debounced.set(
      id,
      setTimeout(() => {
        debounced.delete(id);
        // If a sync is in progress, it may have read the old content; wait for it and sync again.
        void Promise.resolve(inProgress.get(id))
          .then(() => makeDue(calendars, id))
          .then(check, () => {});
      }, debounceMs),
    );
  };

  const timer = setInterval(() => void check(), pollMs);
  const unsubscribe = store.subscribe((changes) => {
    if (changes.some(({ kind }) => kind === 'calendar')) void check();
  });
  void check();
  return {
    async check() {
      await check();
      await Promise.all(inProgress.values());
    },
    async close() {
      stop.abort();
      clearInterval(timer);
      unsubscribe();
      for (const pending of debounced.values()) clearTimeout(pending);
      for (const { watcher } of watchers.values()) watcher.close();
      await running;
      await Promise.all(inProgress.values());
    },
  };
}

/**
 * Syncs all due calendars once. Files and folders are always due, because nothing watches them between two calls; an
 * unchanged one is cheap to check.
 */
export async function syncDue(calendars: Calendars, signal: AbortSignal): Promise<void> {
  const { store, clock } = calendars.data;
  const rows = await store.read((db) =>
    db.selectFrom('calendars').selectAll().where('enabled', '=', 1).orderBy('next_sync_ms').execute(),
  );
  const due = rows.filter(
    ({ kind, next_sync_ms }) => kind === 'file' || kind === 'folder' || (next_sync_ms ?? 0) <= clock(),
  );
  const work = async () => {
    for (let calendar = due.shift(); calendar !== undefined; calendar = due.shift()) {
      if (signal.aborted) return;
      const claimed = await claim(calendars, calendar);
      if (claimed !== undefined) await trySync(calendars, claimed, signal);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, work));
}

/** Watches the folder of a file, because programs replace the file instead of changing it. */
function watchFiles({ kind, location }: Calendar, changed: () => void): FSWatcher | undefined {
  try {
    if (kind === 'folder') return watch(location, { recursive: true }, changed);
    const name = basename(location);
    return watch(dirname(location), (_, changedName) => {
      if (changedName === null || changedName === name) changed();
    });
  } catch {
    // Without a watcher, the calendar is still synced at its interval.
    return undefined;
  }
}

async function makeDue({ data }: Calendars, id: string): Promise<void> {
  const now = data.clock();
  await data.store.write(({ db }) =>
    db.updateTable('calendars').set({ next_sync_ms: now }).where('id', '=', id).execute(),
  );
}

/** Claims a calendar by moving its next sync; only one process succeeds. */
async function claim({ data }: Calendars, { id, next_sync_ms }: Calendar): Promise<Calendar | undefined> {
  const now = data.clock();
  return data.store.write(async ({ db }) => {
    const update = db
      .updateTable('calendars')
      .set({ next_sync_ms: now + leaseMs })
      .where('id', '=', id);
    const same =
      next_sync_ms === null
        ? update.where('next_sync_ms', 'is', null)
        : update.where('next_sync_ms', '=', next_sync_ms);
    return same.returningAll().executeTakeFirst();
  });
}

async function trySync(calendars: Calendars, calendar: Calendar, signal: AbortSignal): Promise<void> {
  try {
    const { changes, problems } = await syncCalendar(calendars, calendar, { signal, isClaimed: true });
    if (calendar.kind === 'caldav') await calendars.afterSync?.(calendar.id);
    if (changes.length > 0 || problems.length > 0)
      log('info', `calendar "${calendar.name}": ${changes.length} changes, ${problems.length} problems`);
  } catch (error) {
    // Release the lease, so that other processes need not wait for it to expire.
    if (signal.aborted) return makeDue(calendars, calendar.id).catch(() => {});
    const known = error instanceof Failure;
    log(known ? 'warning' : 'error', `calendar "${calendar.name}" could not be synced`, error);
  }
}
