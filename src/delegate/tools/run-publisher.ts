import { promises as disk } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { Delegation } from '../run/delegation.ts';
import { isOpen, listRunIds } from '../run/run-record.ts';
import type { LocalRuns } from './local-runs.ts';
import type { RunAccount } from './run-overview.ts';
import type { SharedAnswer, SharedRuns } from './shared-runs.ts';

/** How many of the newest runs may have changed since an earlier server published them. */
const checkedRuns = 50;
const maxSharedBytes = 256 * 1024;

/** Publishes this machine's runs in the database, and applies cancellation requests from other machines. */
export class RunPublisher {
  readonly #runs: LocalRuns;
  readonly #shared: SharedRuns;
  readonly #delegation: Delegation;
  /** Runs that are published completely and cannot change any more. */
  readonly #settled = new Set<string>();
  #published: ReadonlySet<string> | undefined;
  #current: Promise<void> | undefined;
  #isRequestedAgain = false;
  #problem: string | undefined;

  constructor(runs: LocalRuns, shared: SharedRuns, delegation: Delegation) {
    this.#runs = runs;
    this.#shared = shared;
    this.#delegation = delegation;
  }

  /** Publishes all changed runs. A call during publishing makes it run once more. */
  publish(): Promise<void> {
    if (this.#current !== undefined) {
      this.#isRequestedAgain = true;
      return this.#current;
    }
    this.#current = this.#publish().finally(() => {
      this.#current = undefined;
    });
    return this.#current;
  }

  problems(): readonly Problem[] {
    return this.#problem === undefined
      ? []
      : [{ file: this.#shared.place, severity: 'warning', message: this.#problem }];
  }

  /** Does not throw, because runs do not depend on the database. The next call retries. */
  async #publish(): Promise<void> {
    do {
      this.#isRequestedAgain = false;
      try {
        await this.#publishAll();
        this.#problem = undefined;
      } catch (error) {
        const problem = `The runs of this machine could not be shared with other machines: ${messageOf(error)}`;
        if (problem !== this.#problem) log('warning', problem);
        this.#problem = problem;
        return;
      }
    } while (this.#isRequestedAgain);
  }

  async #publishAll(): Promise<void> {
    this.#published ??= await this.#shared.ids();
    const ids = await listRunIds(this.#delegation.options.runsDir);
    for (const [index, id] of ids.entries()) {
      if (this.#settled.has(id)) continue;
      if (index >= checkedRuns && this.#published.has(id)) this.#settled.add(id);
      else await this.#publishRun(id);
    }
  }

  async #publishRun(id: string): Promise<void> {
    const account = await this.#runs.find(id);
    if (account === undefined) return;
    const { overview, record } = account;
    const published = await this.#shared.find(id);
    const isFinished = !isOpen(record);
    const isNew = published?.overview.status !== overview.status;
    if (isNew || !isDeepStrictEqual(published?.record.approvals ?? [], record.approvals ?? [])) {
      // Publish the files first, so that they exist when another machine sees the run as finished.
      if (isFinished) await this.#shared.publishFiles(id, await this.#readFiles(id));
      await this.#shared.publish(id, account);
    }
    if (isFinished) this.#settled.add(id);
    else if (published?.wish !== undefined)
      await this.#delegation.hosts.cancel(record.run_dir, published.wish);
    for (const [key, answer] of Object.entries(published?.answers ?? {}))
      if (answer.problem === undefined) await this.#passOn(id, key, answer, account);
  }

  /** Gives an answer of another machine to the agent, unless the request was answered before. */
  async #passOn(id: string, key: string, answer: SharedAnswer, account: RunAccount): Promise<void> {
    const [, job] = answer.run.split('/');
    const problem = await this.#runs.order(account, job, answer.order).then(() => '', messageOf);
    await this.#shared.settleAnswer(id, key, { ...answer, problem });
  }

  async #readFiles(id: string): Promise<Readonly<Record<string, string>>> {
    const texts: Record<string, string> = {};
    for (const { name } of await this.#runs.artifacts(id)) {
      const file = await this.#runs.artifactPath(id, name);
      if (file !== undefined && (await disk.stat(file)).size <= maxSharedBytes)
        texts[name] = this.#delegation.runner.redact(await readRegularFile(file, maxFileBytes));
    }
    return texts;
  }
}
