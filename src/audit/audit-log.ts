import { promises as disk, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type JsonObject, messageOf } from '../json.ts';
import { log } from '../log.ts';
import { maxFileBytes, readRegularFile } from '../regular-file.ts';
import { singleLine } from '../single-line.ts';
import {
  appendActivity,
  findActivityGaps,
  numberedActivity,
  readActivity,
  trimActivity,
} from '../store/activity.ts';
import { type CurrentCall, currentCall } from '../store/current-call.ts';
import { refuseLost } from '../store/damage.ts';
import { newId } from '../store/id.ts';
import { logSchema } from '../store/migrations.ts';
import { waitBriefly } from '../store/silent-database.ts';
import { createStore, type Store } from '../store/store.ts';
import {
  type AuditEntry,
  type AuditedCall,
  type AuditedWork,
  type AuditFilter,
  type AuditOptions,
  type AuditRow,
  type CallOutcome,
  cannotRecord,
  changedFields,
  targetOf,
  type VerifiedLog,
} from './audit-entry.ts';
import { DeniedCalls } from './denied-calls.ts';

type StoredEntry = Omit<AuditEntry, 'outcome'> & {
  readonly outcome: AuditEntry['outcome'] | CallOutcome['outcome'];
};

const dayMs = 86_400_000;
const oldFilePattern = /^(\d{4}-\d\d-\d\d)\.jsonl$/;

/**
 * Who did what. A call is recorded before it can change anything: as *started*, or, if it changes only the database, as
 * *done* in the transaction of its first change. When it ends, a second entry adds the outcome, unless nothing is to be
 * added. A call that is killed in between stays *started*.
 */
export class AuditLog {
  readonly #options: AuditOptions;
  readonly #local: Store;
  readonly #shared: Store;
  readonly #denied = new DeniedCalls((entry) => void this.#note(entry));
  #writing: Promise<unknown> = Promise.resolve();
  #trimming: Promise<unknown> = Promise.resolve();
  /** The day on which this process last removed old entries of a database. */
  readonly #trimmed = new Map<Store, string>();
  #problem = '';

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#local = createStore(options.localUrl, logSchema);
    this.#shared = options.databaseUrl === options.localUrl ? this.#local : createStore(options.databaseUrl);
  }

  record(call: AuditedCall & CallOutcome): void {
    const entry = entryOf(call, call) as AuditEntry;
    if (entry.outcome === 'denied') this.#denied.add(entry);
    else if (call.outcome !== 'withdrawn') void this.#note(entry);
  }

  async run<Value>(
    call: AuditedCall,
    { inDatabase = false, freesSpace = false, work, outcome }: AuditedWork<Value>,
  ): Promise<Value> {
    const id = newId(Date.now());
    let last: StoredEntry | undefined;
    const current: CurrentCall = {
      id,
      recordedIn: new Set(),
      isOver: false,
      describe: (changes) => {
        last = entryOf(call, { outcome: 'done' }, changes.find(({ kind }) => kind !== 'record')?.id);
        return last as unknown as JsonObject;
      },
      start: async () => {
        if (last !== undefined) return;
        const started = entryOf(call, { outcome: 'started' });
        await this.#append(this.#local, started, id).catch((error: unknown) => {
          throw cannotRecord(call.action, error);
        });
        last ??= started;
      },
    };
    if (!inDatabase)
      await current.start().catch((error: unknown) => {
        if (!freesSpace) throw error;
        log('warning', `${call.action} is recorded when it has freed space: ${messageOf(error)}`);
      });
    const finish = async (end: Parameters<typeof outcome>[0]) => {
      current.isOver = true;
      const entry = entryOf(call, outcome(end));
      const store = current.recordedIn.has(this.#shared.place) ? this.#shared : this.#local;
      const isSilent = entry.outcome === 'withdrawn' && last === undefined;
      if (!isSilent && addsTo(last, entry)) await this.#note(entry, store, id);
      // The transaction of the change may have added the only entry.
      if (last !== undefined) this.#trimDaily(store);
    };
    let value: Value;
    try {
      value = await currentCall.run(current, work);
    } catch (error) {
      await finish({ error });
      throw error;
    }
    await finish({ value });
    return value;
  }

  /** The entries that match, newest first. */
  async list({ actor, action, outcome, daysBack }: AuditFilter): Promise<readonly AuditEntry[]> {
    await Promise.all([this.#writing, this.#trimming]);
    const sinceMs = Date.now() - daysBack * dayMs;
    const calls = new Map<string, StoredEntry>();
    for (const store of this.#existing()) {
      for (const { key, entry } of await readActivity(store, sinceMs)) {
        const row = entry as unknown as StoredEntry;
        // The first entry of a call has the time at which it began.
        calls.set(key, { ...calls.get(key), ...row, at: calls.get(key)?.at ?? row.at });
      }
    }
    return [...(await this.#oldEntries(sinceMs)), ...calls.values()]
      .filter((entry): entry is AuditEntry => entry.outcome !== 'withdrawn')
      .filter(
        (entry) =>
          (actor === undefined || entry.actor === actor) &&
          (action === undefined || entry.action === action) &&
          (outcome === undefined || entry.outcome === outcome),
      )
      .reverse()
      .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  }

  /** The titles of the events that still exist, by id. The log itself contains no texts. */
  async titles(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0 || !this.#existing().includes(this.#shared)) return new Map();
    const rows = await this.#shared.read((db) =>
      db.selectFrom('events').select(['id', 'title']).where('id', 'in', ids).execute(),
    );
    return new Map(rows.map(({ id, title }) => [id, title]));
  }

  /** Checks that no entry is missing or unreadable. */
  async verify(): Promise<readonly VerifiedLog[]> {
    await Promise.all([this.#writing, this.#trimming]);
    const verified: VerifiedLog[] = [];
    for (const store of this.#stores) {
      const lost = lossOf(store);
      if (lost !== undefined) verified.push({ database: store.place, entries: 0, problems: [lost] });
      if (lost !== undefined || !exists(store)) continue;
      const problems = (await findActivityGaps(store)).map(({ from, to }) =>
        to >= from
          ? `${from === to ? `entry ${from} is` : `entries ${from} to ${to} are`} missing`
          : `entry ${to + 1} does not belong to the log`,
      );
      let entries = 0;
      for await (const { number, entry } of numberedActivity(store)) {
        entries += 1;
        if (parseLine(entry).length === 0) problems.push(`entry ${number} is not valid JSON`);
      }
      verified.push({ database: store.place, entries, problems });
    }
    return verified;
  }

  /** All entries as they are stored, in the order of their numbers. */
  async *rows(): AsyncGenerator<AuditRow> {
    await Promise.all([this.#writing, this.#trimming]);
    for (const entry of await this.#oldEntries(0)) yield { ...entry };
    for (const store of this.#existing())
      for await (const { log: name, number, call_id, entry } of numberedActivity(store))
        for (const parsed of parseLine(entry))
          yield { log: name, number, ...(call_id !== null && { call: call_id }), ...parsed };
  }

  get #stores(): ReadonlySet<Store> {
    return new Set([this.#local, this.#shared]);
  }

  /** The databases that have entries. Reading must not create a database, and must not hide that one is lost. */
  #existing(): readonly Store[] {
    for (const { engine, place } of this.#stores) if (engine === 'sqlite') refuseLost(place);
    return [...this.#stores].filter(exists);
  }

  async close(): Promise<void> {
    this.#denied.flush();
    for (let last: unknown; last !== this.#writing; ) {
      last = this.#writing;
      await last;
    }
    await waitBriefly(this.#trimming);
    await this.#local.close();
    await waitBriefly(this.#shared.close());
  }

  /** Adds an entry about something that has happened already, so a failure is only logged: once, not for every call. */
  #note(entry: StoredEntry, store = this.#local, callId: string | null = null): Promise<void> {
    const noting = this.#append(store, entry, callId).then(
      () => {
        this.#problem = '';
      },
      (error: unknown) => {
        const problem = `the security log in ${store.place} cannot be written: ${messageOf(error)}`;
        if (problem !== this.#problem) log('warning', problem);
        this.#problem = problem;
      },
    );
    this.#writing = Promise.all([this.#writing, noting]);
    return noting;
  }

  async #append(store: Store, entry: StoredEntry, callId: string | null): Promise<void> {
    // The entry is not a change of the call itself.
    await currentCall.exit(() =>
      store.write(({ db }) => appendActivity(db, callId, entry as unknown as JsonObject)),
    );
    this.#trimDaily(store);
  }

  /** Removes old entries of a database, and of that of this machine, when this process first adds one on a day. */
  #trimDaily(store: Store): void {
    const day = new Date().toISOString().slice(0, 10);
    for (const one of new Set([store, this.#local])) {
      if (this.#trimmed.get(one) === day || !exists(one)) continue;
      this.#trimmed.set(one, day);
      const trimming = this.#trim(one).catch((error: unknown) =>
        log('warning', 'old entries of the security log could not be removed', error),
      );
      this.#trimming = Promise.all([this.#trimming, trimming]);
    }
  }

  async #trim(store: Store): Promise<void> {
    const oldestMs = Date.now() - this.#options.days * dayMs;
    await currentCall.exit(() => trimActivity(store, oldestMs));
    const oldest = new Date(oldestMs).toISOString().slice(0, 10);
    for (const file of await this.#oldFiles())
      if (file.slice(0, 10) < oldest) await disk.rm(join(this.#options.oldFolder, file), { force: true });
  }

  /** Entries in the files of earlier versions, oldest first. A server of such a version may still add to them. */
  async #oldEntries(sinceMs: number): Promise<readonly StoredEntry[]> {
    const since = new Date(sinceMs).toISOString();
    const found: StoredEntry[] = [];
    for (const file of await this.#oldFiles()) {
      if (file.slice(0, 10) < since.slice(0, 10)) continue;
      const text = await readRegularFile(join(this.#options.oldFolder, file), maxFileBytes);
      found.push(...text.split('\n').flatMap(parseLine));
    }
    return found.filter(({ at }) => at >= since);
  }

  async #oldFiles(): Promise<readonly string[]> {
    const names = await disk.readdir(this.#options.oldFolder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    return names.filter((name) => oldFilePattern.test(name)).sort();
  }
}

function exists({ engine, place }: Store): boolean {
  return engine !== 'sqlite' || existsSync(place);
}

/** What is wrong with a database whose file is gone or empty. */
function lossOf({ engine, place }: Store): string | undefined {
  try {
    if (engine === 'sqlite') refuseLost(place);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** `changed` is the id of what the call changed first. */
function entryOf(
  { actor, client, address, action, args }: AuditedCall,
  { outcome, reason, result }: Omit<CallOutcome, 'outcome'> & Pick<StoredEntry, 'outcome'>,
  changed?: string,
): StoredEntry {
  const target = targetOf(action, args, result, changed);
  return {
    at: new Date().toISOString(),
    actor: actor.name,
    ...(actor.client !== undefined && { oauth_client: singleLine(actor.client) }),
    ...(client !== undefined && client !== '' && { client: singleLine(client, 100) }),
    ...(address !== undefined && { address }),
    action: singleLine(action, 100),
    ...(target !== undefined && { target }),
    outcome,
    ...(reason !== undefined && { reason: singleLine(reason) }),
    ...(result?.change && changedFields(result.change)),
  };
}

/** True if the entry says more than the one before it of the same call. */
function addsTo(before: StoredEntry | undefined, entry: StoredEntry): boolean {
  if (before === undefined || before.outcome !== entry.outcome) return true;
  const known = new Set(before.target?.split(' '));
  const isKnown = (entry.target?.split(' ') ?? []).every((part) => known.has(part));
  return entry.before !== undefined || entry.after !== undefined || !isKnown;
}

/** Nothing for an empty or damaged line. */
function parseLine(line: string): readonly StoredEntry[] {
  try {
    return line === '' ? [] : [JSON.parse(line) as StoredEntry];
  } catch {
    return [];
  }
}
