import { hostname } from 'node:os';
import { setTimeout as after } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import type { Records } from '../../records.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { type RunRecord, runIdPattern } from '../record/run-record.ts';
import type { RunOverview } from './runs.ts';

/** Everything that is known of a run, wherever it is asked for. */
export interface RunAccount {
  readonly overview: RunOverview;
  readonly record: RunRecord;
  /** Where it is an autopilot. */
  readonly autopilot?: AutopilotOutput;
}

export interface SharedRun extends RunAccount {
  /** The machine that had it, by name. */
  readonly host: string;
  /** Why somebody on another machine wants it to end. */
  readonly wish?: string;
}

type Edit = (current: SharedRun | undefined) => SharedRun | undefined;

const [runs, files] = ['run', 'run-files'];
/** Whoever asks what is here, too, must not wait for a database that has fallen silent. */
const patienceMs = 5_000;

/** The runs of all machines on one database. Each machine tells of its own; what they were told stays when it is gone. */
export class SharedRuns {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  get place(): string {
    return this.#records.place;
  }

  async find(id: string): Promise<SharedRun | undefined> {
    const found = await this.#soon(this.#records.find(runs, id));
    return isShared(found) && found.overview.run_id === id ? found : undefined;
  }

  async newest(limit: number, before?: string): Promise<readonly SharedRun[]> {
    const told: readonly unknown[] = await this.#soon(this.#records.last(runs, limit, before));
    return told.filter(isShared);
  }

  async ids(): Promise<ReadonlySet<string>> {
    return new Set(await this.#soon(this.#records.keys(runs)));
  }

  /** The text of a file of a run that has ended; `undefined` where it was not told, or is too large for that. */
  async file(id: string, name: string): Promise<string | undefined> {
    const kept = await this.#soon(this.#records.find(files, id));
    return kept && Object.hasOwn(kept, name) ? String(kept[name]) : undefined;
  }

  async tell(id: string, account: RunAccount): Promise<void> {
    await this.#edit(id, (current) => ({
      ...account,
      host: hostname(),
      ...(current?.wish !== undefined && { wish: current.wish }),
    }));
  }

  async tellFiles(id: string, texts: Readonly<Record<string, string>>): Promise<void> {
    await this.#records.change(files, id, () => ({ next: texts, entry: {} }));
  }

  /** Leaves word for the machine that has the run. The first reason stays. */
  async requestCancellation(id: string, reason: string): Promise<void> {
    await this.#edit(id, (current) => current && { wish: reason, ...current });
  }

  async forget(id: string): Promise<void> {
    await this.#edit(id, () => undefined);
    await this.#records.change(files, id, () => ({ next: undefined, entry: {} }));
  }

  /** Told when something about a run is new, here or elsewhere. */
  subscribe(listener: () => void): () => void {
    return this.#records.subscribe((kind) => {
      if (kind === runs) listener();
    });
  }

  close(): Promise<void> {
    return this.#records.close();
  }

  async #soon<Value>(answer: Promise<Value>): Promise<Value> {
    const limit = new AbortController();
    const late = after(patienceMs, undefined, { signal: limit.signal, ref: false }).then(() => {
      throw new Failure('unavailable', `The database ${this.place} does not answer.`);
    });
    late.catch(() => {});
    return Promise.race([answer, late]).finally(() => limit.abort());
  }

  async #edit(id: string, edit: Edit): Promise<void> {
    await this.#records.change(runs, id, (current) => {
      const next = edit(current as SharedRun | undefined);
      return {
        next: next as JsonObject | undefined,
        entry: { status: next?.overview.status ?? 'forgotten' },
      };
    });
  }
}

/** Another version may have told it in its own way. */
function isShared(value: unknown): value is SharedRun {
  if (!isObject(value) || !isObject(value['overview']) || !isObject(value['record'])) return false;
  return runIdPattern.test(String(value['overview']['run_id']));
}
