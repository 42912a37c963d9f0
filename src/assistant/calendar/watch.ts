import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Calendar } from '../store/schema.ts';
import { type Calendars, syncCalendar } from './sync.ts';

export interface CalendarWatch {
  /** Looks at everything that is due and comes back when it is done. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** How often the list of calendars is looked at; what is in it has its own time. */
const pulseMs = 15_000;
/** Longer than reading a calendar takes; another process takes over when this one dies on it. */
const leaseMs = 15 * 60_000;
/** So many are read at the same time, so that one that comes drop by drop keeps no other waiting. */
const mostAtOnce = 4;
/** A file is written in several steps. */
const settleMs = 200;

/**
 * Keeps calendars up to date: addresses and accounts at intervals, files and folders as they change. Any number of
 * processes may do so at the same time; each calendar is looked at by one of them.
 */
export function watchCalendars(calendars: Calendars): CalendarWatch {
  const { store, clock } = calendars.diary;
  const stop = new AbortController();
  const watchers = new Map<string, { readonly location: string; readonly watcher: FSWatcher }>();
  const settling = new Map<string, NodeJS.Timeout>();
  const underWay = new Map<string, Promise<void>>();
  let running: Promise<void> | undefined;
  let again = false;

  const round = async () => {
    const rows = await store.read((db) =>
      db.selectFrom('calendars').selectAll().where('enabled', '=', 1).orderBy('next_sync_ms').execute(),
    );
    attend(rows);
    for (const calendar of rows) {
      if ((calendar.next_sync_ms ?? 0) > clock() || underWay.has(calendar.id)) continue;
      if (underWay.size >= mostAtOnce) await Promise.race(underWay.values());
      if (stop.signal.aborted) return;
      const claimed = await claim(calendars, calendar);
      if (claimed === undefined) continue;
      const work = attempt(calendars, claimed, stop.signal).finally(() => underWay.delete(calendar.id));
      underWay.set(calendar.id, work);
    }
  };

  const look = (): Promise<void> => {
    again = true;
    running ??= (async () => {
      while (again && !stop.signal.aborted) {
        again = false;
        await round();
      }
    })()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log('warning', 'calendars cannot be looked at now', error);
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  /** Has each file and folder watched, and nothing else. */
  const attend = (rows: readonly Calendar[]) => {
    const wanted = new Map(
      rows.filter(({ kind }) => kind === 'file' || kind === 'folder').map((row) => [row.id, row]),
    );
    for (const [id, { watcher, location }] of watchers) {
      if (wanted.get(id)?.location === location) continue;
      watcher.close();
      watchers.delete(id);
    }
    for (const [id, calendar] of wanted) {
      if (watchers.has(id) || stop.signal.aborted) continue;
      const watcher = watchFiles(calendar, () => settle(id));
      if (watcher === undefined) continue;
      watchers.set(id, { location: calendar.location, watcher });
      // It may have changed since it was last read and before anybody watched.
      settle(id);
      watcher.on('error', () => {
        watcher.close();
        watchers.delete(id);
      });
    }
  };

  const settle = (id: string) => {
    clearTimeout(settling.get(id));
    settling.set(
      id,
      setTimeout(() => {
        settling.delete(id);
        // One that is being read may have been read too soon.
        void Promise.resolve(underWay.get(id))
          .then(() => due(calendars, id))
          .then(look, () => {});
      }, settleMs),
    );
  };

  const pulse = setInterval(() => void look(), pulseMs);
  const unsubscribe = store.subscribe((changes) => {
    if (changes.some(({ kind }) => kind === 'calendar')) void look();
  });
  void look();
  return {
    async check() {
      await look();
      await Promise.all(underWay.values());
    },
    async close() {
      stop.abort();
      clearInterval(pulse);
      unsubscribe();
      for (const timer of settling.values()) clearTimeout(timer);
      for (const { watcher } of watchers.values()) watcher.close();
      await running;
      await Promise.all(underWay.values());
    },
  };
}

/**
 * Brings every calendar up to date that is due, and ends. Files and folders count as due, since nobody watches them between
 * two such calls; one that has not changed costs a look.
 */
export async function syncDue(calendars: Calendars, signal: AbortSignal): Promise<void> {
  const { store, clock } = calendars.diary;
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
      if (claimed !== undefined) await attempt(calendars, claimed, signal);
    }
  };
  await Promise.all(Array.from({ length: mostAtOnce }, work));
}

/** A file is watched through its folder: programs put a new one in the place of the old. */
function watchFiles({ kind, location }: Calendar, changed: () => void): FSWatcher | undefined {
  try {
    if (kind === 'folder') return watch(location, { recursive: true }, changed);
    const name = basename(location);
    return watch(dirname(location), (_, changedName) => {
      if (changedName === null || changedName === name) changed();
    });
  } catch {
    // It is still looked at in its turn.
    return undefined;
  }
}

async function due({ diary }: Calendars, id: string): Promise<void> {
  const now = diary.clock();
  await diary.store.write(({ db }) =>
    db.updateTable('calendars').set({ next_sync_ms: now }).where('id', '=', id).execute(),
  );
}

/** Whoever moves the time of the next look has the calendar. */
async function claim({ diary }: Calendars, { id, next_sync_ms }: Calendar): Promise<Calendar | undefined> {
  const now = diary.clock();
  return diary.store.write(async ({ db }) => {
    const seen = db
      .updateTable('calendars')
      .set({ next_sync_ms: now + leaseMs })
      .where('id', '=', id);
    const same =
      next_sync_ms === null
        ? seen.where('next_sync_ms', 'is', null)
        : seen.where('next_sync_ms', '=', next_sync_ms);
    return same.returningAll().executeTakeFirst();
  });
}

async function attempt(calendars: Calendars, calendar: Calendar, signal: AbortSignal): Promise<void> {
  try {
    const { changes, problems } = await syncCalendar(calendars, calendar, { signal });
    if (changes.length > 0 || problems.length > 0)
      log('info', `calendar "${calendar.name}": ${changes.length} changes, ${problems.length} problems`);
  } catch (error) {
    // Nobody has to wait for the lease of one who went in good order.
    if (signal.aborted) return due(calendars, calendar.id).catch(() => {});
    const known = error instanceof Failure;
    log(known ? 'warning' : 'error', `calendar "${calendar.name}" cannot be brought up to date`, error);
  }
}
