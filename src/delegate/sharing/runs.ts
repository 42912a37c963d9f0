import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Actor, identityOf, isOwner, owner, ownsNameSince } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import type { Delegation } from '../delegation/delegation.ts';
import { EventFile } from '../files/event-file.ts';
import { parseObject, readJson } from '../files/json-file.ts';
import { describeLog, type EventLine } from '../record/event-lines.ts';
import { isOpen, type RunRecord, runIdPattern } from '../record/run-record.ts';
import { parseRecordedEvent } from '../session/recorded-event.ts';
import type { RunOrder } from '../session/run-order.ts';
import type { ChangedFiles } from '../workspace/kept-changes.ts';
import type { LocalRuns } from './local-runs.ts';
import { agentActivity, autopilotActivity } from './run-activity.ts';
import type { RunAccount, RunOverview } from './run-overview.ts';
import type { SharedRun, SharedRuns } from './shared-runs.ts';

const pollIntervalMs = 150;
const cancelTimeoutMs = 20_000;
/** Runs that are read at a time to find those of one actor. */
const pageLength = 100;

/** The runs of this machine, and those that other machines share through the database. */
export class Runs {
  readonly #delegation: Delegation;
  readonly #local: LocalRuns;
  readonly #shared: SharedRuns | undefined;
  readonly #viewer: Actor;

  constructor(delegation: Delegation, local: LocalRuns, shared?: SharedRuns, viewer = owner) {
    this.#delegation = delegation;
    this.#local = local;
    this.#shared = shared;
    this.#viewer = viewer;
  }

  /** The runs that the actor may see: all for the owner, and their own for everybody else. */
  visibleTo(viewer: Actor): Runs {
    return new Runs(this.#delegation, this.#local, this.#shared, viewer);
  }

  /** The newest runs, or the newest that are older than `before`. */
  async list(limit: number, before?: string): Promise<readonly RunOverview[]> {
    if (isOwner(this.#viewer)) return this.#list(limit, before);
    const visible: RunOverview[] = [];
    for (let oldest = before; visible.length < limit; ) {
      const page = await this.#list(pageLength, oldest);
      visible.push(...page.filter((run) => this.#isVisible(run)));
      if (page.length < pageLength) break;
      oldest = page.at(-1)!.run_id;
    }
    return visible.slice(0, limit);
  }

  /** Throws if no visible run has this thread. The owner may name any thread of the agent. */
  async demandThread(threadId: string): Promise<void> {
    if (isOwner(this.#viewer)) return;
    const all = await this.list(Number.POSITIVE_INFINITY);
    if (!all.some((run) => run.subagent_thread_id?.toLowerCase() === threadId.toLowerCase()))
      throw new Denied('resource-not-found', `None of your runs has the thread ${threadId}.`);
  }

  #isLocal(id: string): boolean {
    return this.#local.has(parseId(id).run);
  }

  #isVisible({ actor, actor_id, started_at }: RunOverview): boolean {
    if (isOwner(this.#viewer)) return true;
    if (actor_id !== undefined) return actor_id === identityOf(this.#viewer);
    return actor === this.#viewer.name && Date.parse(started_at) >= ownsNameSince(this.#viewer);
  }

  async #list(limit: number, before?: string): Promise<readonly RunOverview[]> {
    const [local, remote] = await Promise.all([
      this.#local.list(limit, before),
      this.#listRemote(limit, before),
    ]);
    return [...local, ...remote].sort((one, other) => (one.run_id > other.run_id ? -1 : 1)).slice(0, limit);
  }

  async show(id: string): Promise<RunRecord> {
    return (await this.account(id)).record;
  }

  /** Everything about a run, such as `ID`, or about the job `ID/JOB` of an autopilot. */
  async account(id: string): Promise<RunAccount> {
    const { run, job } = parseId(id);
    const account = (await this.#local.find(run)) ?? (await this.#findRemote(run));
    const missing = `There is no run ${id}. list_runs shows all runs.`;
    if (account === undefined) throw new Failure('resource-not-found', missing);
    if (!this.#isVisible(account.overview)) throw new Denied('resource-not-found', missing);
    if (job === undefined) return account;
    const { jobAccount } = await import('./job-account.ts');
    return jobAccount(account, job);
  }

  /** Loads a run that a person wants to change. If its process was killed, it is finished or continued first. */
  async #recovered(id: string): Promise<RunAccount> {
    const account = await this.account(id);
    if (account.record.status !== 'interrupted') return account;
    await this.#local.recover(id);
    return this.account(id);
  }

  /** Waits until the run has finished, for at most this long. */
  async collect(id: string, milliseconds: number, signal: AbortSignal): Promise<RunRecord> {
    const deadline = performance.now() + milliseconds;
    for (;;) {
      const record = await this.show(id);
      if (!isOpen(record) || performance.now() >= deadline || signal.aborted) return record;
      await pause(pollIntervalMs);
    }
  }

  /** Cancels a run with its sub-runs, or one job of an autopilot, and all their processes, and waits for the result. */
  async cancel(id: string, reason: string, signal: AbortSignal): Promise<RunRecord> {
    const record = await this.show(id);
    if (!isOpen(record)) return record;
    if (this.#isLocal(id)) {
      // Stored first, so that whoever finishes an interrupted run knows that it was cancelled.
      await this.#delegation.hosts.cancel(record.run_dir, reason);
      await this.#local.recover(parseId(id).run);
    } else if (parseId(id).job !== undefined)
      throw new Failure('refused', `Job ${id} is on another machine. Cancel the whole autopilot instead.`);
    else await this.#shared?.requestCancellation(id, reason);
    return this.collect(id, cancelTimeoutMs, signal);
  }

  /** Sends an order to the agent of a run in progress, such as `ID` or the job `ID/JOB` of an autopilot. */
  async order(id: string, order: RunOrder): Promise<void> {
    const { run, job } = parseId(id);
    const account = await this.#recovered(run);
    if (!this.#isLocal(run))
      throw new Failure(
        'refused',
        `Run ${run} is on ${account.overview.host}. Use a server on that machine.`,
      );
    const { sendOrder } = await import('./run-orders.ts');
    await sendOrder(account, job, order, this.#delegation);
  }

  /** The ids of the turns of a run, in order. */
  async turns(id: string): Promise<readonly string[]> {
    const { run_dir } = await this.show(id);
    const ids: string[] = [];
    for await (const line of new EventFile(join(run_dir, 'events.jsonl')).lines()) {
      const [event] = parseRecordedEvent(line) ?? [];
      if (event?.kind === 'turn' && event.id !== undefined) ids.push(event.id);
    }
    return ids;
  }

  /** Says what a run is doing at the moment. */
  async activity({ overview, record, autopilot }: RunAccount): Promise<string> {
    if (overview.status === 'waiting') return 'waiting in the queue for other runs to finish';
    if (!this.#isLocal(record.run_id)) return `running on ${overview.host}`;
    const activityOf = async (path: string) => {
      const agent = this.#delegation.findAgent(await readJson(join(path, 'codex_exec.json')));
      return agentActivity(path, (raw) => agent.parse(this.#delegation.runner.redact(raw)));
    };
    return autopilot === undefined ? activityOf(record.run_dir) : autopilotActivity(autopilot, activityOf);
  }

  /** Delivers the kept changes of an isolated run, or takes its delivered changes back, all or those of some files. */
  async changeFiles(id: string, what: 'apply' | 'undo', paths?: readonly string[]): Promise<ChangedFiles> {
    const { run, job } = parseId(id);
    const { overview, record } = await this.#recovered(run);
    // Refuses a job that the run does not have, such as a path to another run.
    if (job !== undefined) await this.account(id);
    const { run_dir, status } = record;
    if (!this.#local.has(run))
      throw new Failure('refused', `Run ${run} is on another machine. Use its command line.`);
    if (isOpen({ status })) throw new Failure('refused', `Run ${run} is still in progress.`);
    if (what === 'apply' && job === undefined && overview.tool === 'delegate_compare')
      throw new Failure(
        'refused',
        `Run ${run} is a comparison. Name the candidate to deliver: ${run}/CANDIDATE.`,
      );
    const { applyRun, undoRun } = await import('./run-changes.ts');
    const directory = job === undefined ? run_dir : join(run_dir, 'subruns', job);
    const { options } = this.#delegation;
    return what === 'apply' ? applyRun(id, directory, options) : undoRun(id, directory, options, paths);
  }

  /** The events of a run after a line, as readable lines. */
  async tail(id: string, after: number, limit: number, withDeltas = false): Promise<readonly EventLine[]> {
    const { run_dir } = await this.show(id);
    const isLocal = this.#isLocal(id);
    const { run, job } = parseId(id);
    const folder = job === undefined ? '' : `subruns/${job}/`;
    const exec = isLocal
      ? await readJson(join(run_dir, 'codex_exec.json'))
      : parseObject((await this.#shared?.file(run, `${folder}codex_exec.json`)) ?? '');
    const agent = this.#delegation.findAgent(exec);
    const events = isLocal
      ? new EventFile(join(run_dir, 'events.jsonl')).lines()
      : (await this.#readRemote(run, `${folder}events.jsonl`)).trimEnd().split('\n');
    const parse = (raw: string) => agent.parse(this.#delegation.runner.redact(raw));
    return describeLog(events, parse, after, limit, withDeltas);
  }

  /** Removes finished local runs older than `ageMs`, except the newest `keep`. Returns their ids. */
  async clean(ageMs: number, keep: number): Promise<readonly string[]> {
    await this.#local.recoverAll();
    return this.#local.clean(ageMs, keep, (id) =>
      this.#shared
        ?.forget(id)
        .catch((error) => log('warning', `run ${id} could not be removed from the database`, error)),
    );
  }

  /** The text of `runs://id/name`; `undefined` if there is no such artifact. */
  async read(id: string, name: string): Promise<string | undefined> {
    if (!runIdPattern.test(id)) return undefined;
    if (!isOwner(this.#viewer)) await this.account(id);
    if (!this.#local.has(id))
      return (await this.#findRemote(id)) === undefined ? undefined : this.#readRemote(id, name);
    const file = await this.#local.artifactPath(id, name);
    // The files of a running agent are not redacted yet.
    return file && this.#delegation.runner.redact(await readRegularFile(file, maxFileBytes));
  }

  /** Runs of other machines. Without the database, local runs must still be listed. */
  async #listRemote(limit: number, before: string | undefined): Promise<readonly RunOverview[]> {
    const found = await this.#shared?.newest(limit, before).catch((error: unknown) => {
      log('warning', 'the runs of other machines could not be listed', error);
      return [];
    });
    return (found ?? [])
      .filter(({ overview }) => !this.#local.has(overview.run_id))
      .map(({ overview, host }) => ({ ...overview, host }));
  }

  async #findRemote(id: string): Promise<SharedRun | undefined> {
    const found = await this.#shared?.find(id);
    return found && { ...found, overview: { ...found.overview, host: found.host } };
  }

  async #readRemote(id: string, name: string): Promise<string> {
    const text = await this.#shared?.file(id, name);
    if (text !== undefined) return text;
    const host = (await this.#findRemote(id))?.host;
    throw new Failure('resource-not-found', `${name} of run ${id} can only be read on ${host}.`);
  }
}

/** A run, such as `ID`, or a job of an autopilot, such as `ID/JOB`. */
function parseId(id: string): { readonly run: string; readonly job: string | undefined } {
  const at = id.indexOf('/');
  return at < 0 ? { run: id, job: undefined } : { run: id.slice(0, at), job: id.slice(at + 1) };
}
