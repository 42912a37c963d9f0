import { promises as disk } from 'node:fs';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { mostBytes, readRegularFile } from '../../regular-file.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { listRunIds } from '../record/run-record.ts';
import type { Runs } from './runs.ts';
import type { SharedRuns } from './shared-runs.ts';

/** How far back a run that was told already may still be unfinished. */
const looked = 50;
const largestFile = 256 * 1024;

/** Tells the database of this machine's runs, and this machine of what others want of them. */
export class RunPublisher {
  readonly #runs: Runs;
  readonly #shared: SharedRuns;
  readonly #delegation: Delegation;
  /** Those of which there is nothing more to tell. */
  readonly #settled = new Set<string>();
  #known: ReadonlySet<string> | undefined;
  #round: Promise<void> | undefined;
  #again = false;
  #trouble: string | undefined;

  constructor(runs: Runs, shared: SharedRuns, delegation: Delegation) {
    this.#runs = runs;
    this.#shared = shared;
    this.#delegation = delegation;
  }

  /** Looks what is new. Whoever comes while that goes on gets another look after it. */
  look(): Promise<void> {
    if (this.#round !== undefined) {
      this.#again = true;
      return this.#round;
    }
    this.#round = this.#look().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  problems(): readonly Problem[] {
    return this.#trouble === undefined
      ? []
      : [{ file: this.#shared.place, severity: 'warning', message: this.#trouble }];
  }

  /** A run goes on whether or not its record can be told; the next look tries again. */
  async #look(): Promise<void> {
    do {
      this.#again = false;
      try {
        await this.#tellAll();
        this.#trouble = undefined;
      } catch (error) {
        const trouble = `Other machines cannot be told of the runs here: ${messageOf(error)}`;
        if (trouble !== this.#trouble) log('warning', trouble);
        this.#trouble = trouble;
        return;
      }
    } while (this.#again);
  }

  async #tellAll(): Promise<void> {
    this.#known ??= await this.#shared.ids();
    const ids = await listRunIds(this.#delegation.options.runsDir);
    for (const [at, id] of ids.entries()) {
      if (this.#settled.has(id)) continue;
      if (at >= looked && this.#known.has(id)) this.#settled.add(id);
      else await this.#tell(id);
    }
  }

  async #tell(id: string): Promise<void> {
    const account = await this.#runs.local(id);
    if (account === undefined) return;
    const { overview, record } = account;
    const told = await this.#shared.find(id);
    const isOver = record.status !== 'running';
    if (told?.overview.status !== overview.status) {
      // The files come first: whoever sees the end of a run finds them.
      if (isOver) await this.#shared.tellFiles(id, await this.#filesOf(id));
      await this.#shared.tell(id, account);
    }
    if (isOver) this.#settled.add(id);
    else if (told?.wish !== undefined)
      (await this.#delegation.supervisor.queue).requestCancellation(record.run_dir, told.wish);
  }

  async #filesOf(id: string): Promise<Readonly<Record<string, string>>> {
    const texts: Record<string, string> = {};
    for (const { name } of await this.#runs.artifactsOf(id)) {
      const file = await this.#runs.artifact(id, name);
      if (file !== undefined && (await disk.stat(file)).size <= largestFile)
        texts[name] = this.#delegation.redact(await readRegularFile(file, mostBytes));
    }
    return texts;
  }
}
