import { hostname } from 'node:os';
import { Failure } from '../../failure.ts';
import { isObject, type JsonObject } from '../../json.ts';
import { within } from '../../pace.ts';
import type { Records } from '../../store/records.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import { runIdPattern } from '../run/run-record.ts';
import type { RunAccount } from './run-overview.ts';

export interface SharedRun extends RunAccount {
  /** The host name of the machine that started the run. */
  readonly host: string;
  /** The reason of a cancellation request from another machine. */
  readonly wish?: string;
  /** Answers to requests for permission from other machines, by run and request. */
  readonly answers?: Readonly<Record<string, SharedAnswer>>;
}

export interface SharedAnswer {
  /** The run, or the job of an autopilot. */
  readonly run: string;
  readonly order: RunOrder;
  /** Set by the machine of the run: empty, or why the answer does not count. */
  readonly problem?: string;
}

type Edit = (current: SharedRun | undefined) => SharedRun | undefined;

const [runs, files] = ['run', 'run-files'];
/** Reads give up after this time, so that local runs can be listed when the database does not answer. */
const readTimeoutMs = 5_000;

/** The runs of all machines that use one database. They stay readable after their machine is gone. */
export class SharedRuns {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  get place(): string {
    return this.#records.place;
  }

  async find(id: string): Promise<SharedRun | undefined> {
    const found = await this.#withTimeout(this.#records.find(runs, id));
    return isShared(found) && found.overview.run_id === id ? found : undefined;
  }

  async newest(limit: number, before?: string): Promise<readonly SharedRun[]> {
    const found: readonly unknown[] = await this.#withTimeout(this.#records.last(runs, limit, before));
    return found.filter(isShared);
  }

  async ids(): Promise<ReadonlySet<string>> {
    return new Set(await this.#withTimeout(this.#records.keys(runs)));
  }

  /** The text of a finished run's file; `undefined` if it was not published, e.g. because it is too large. */
  async file(id: string, name: string): Promise<string | undefined> {
    const texts = await this.#withTimeout(this.#records.find(files, id));
    return texts && Object.hasOwn(texts, name) ? String(texts[name]) : undefined;
  }

  async publish(id: string, account: RunAccount): Promise<void> {
    await this.#edit(id, (current) => ({
      ...account,
      host: hostname(),
      ...(current?.wish !== undefined && { wish: current.wish }),
      ...(current?.answers && { answers: current.answers }),
    }));
  }

  /** Sends an answer to the machine that has the run. The first answer to a request stays. */
  async requestAnswer(id: string, key: string, answer: SharedAnswer): Promise<void> {
    await this.#edit(id, (current) => current && withAnswer(current, key, current.answers?.[key] ?? answer));
  }

  /** Reports whether an answer from another machine counts. */
  async settleAnswer(id: string, key: string, answer: SharedAnswer): Promise<void> {
    await this.#edit(id, (current) => current && withAnswer(current, key, answer));
  }

  async publishFiles(id: string, texts: Readonly<Record<string, string>>): Promise<void> {
    await this.#records.change(files, id, () => ({ next: texts, entry: {} }));
  }

  /** Asks the machine that has the run to cancel it. Later requests do not replace the first reason. */
  async requestCancellation(id: string, reason: string): Promise<void> {
    await this.#edit(id, (current) => current && { wish: reason, ...current });
  }

  async forget(id: string): Promise<void> {
    await this.#edit(id, () => undefined);
    await this.#records.change(files, id, () => ({ next: undefined, entry: {} }));
  }

  /** Calls the listener when this or another machine changes a run. */
  subscribe(listener: () => void): () => void {
    return this.#records.subscribe((kind) => {
      if (kind === runs) listener();
    });
  }

  close(): Promise<void> {
    return this.#records.close();
  }

  async #withTimeout<Value>(answer: Promise<Value>): Promise<Value> {
    const value = await within(
      answer.then((found) => ({ found })),
      readTimeoutMs,
    );
    if (value !== undefined) return value.found;
    throw new Failure('unavailable', `The database ${this.place} does not answer.`);
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

function withAnswer(run: SharedRun, key: string, answer: SharedAnswer): SharedRun {
  return { ...run, answers: { ...run.answers, [key]: answer } };
}

/** Another version of Adjutant may have stored the run in another format. */
function isShared(value: unknown): value is SharedRun {
  if (!isObject(value) || !isObject(value['overview']) || !isObject(value['record'])) return false;
  return runIdPattern.test(String(value['overview']['run_id']));
}
