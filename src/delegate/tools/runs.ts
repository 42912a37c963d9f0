import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Actor, type Context, identityOf, isOwner, owner, ownsNameSince } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { type AgentEvent, parseRecordedEvent } from '../agents/protocols/agent-event.ts';
import type { ApprovalAnswer, PendingApproval, RunOrder } from '../agents/protocols/approval.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { sendAnswer } from '../run/approval-questions.ts';
import type { Delegation } from '../run/delegation.ts';
import { EventFile } from '../run/event-file.ts';
import { describeLog, type EventLine } from '../run/event-lines.ts';
import { RunProgress } from '../run/run-progress.ts';
import { isOpen, type RunRecord, runIdPattern } from '../run/run-record.ts';
import { readStart } from '../run/run-state.ts';
import type { LocalRuns } from './local-runs.ts';
import type { RemovalPlan, Retention } from './retention.ts';
import type { ChangedFiles, ChosenChanges, RunDiff } from './run-changes.ts';
import { matches, type RunAccount, type RunFilter, type RunOverview } from './run-overview.ts';
import type { SharedRun, SharedRuns } from './shared-runs.ts';

const pollIntervalMs = 150;
const cancelTimeoutMs = 20_000;
/** Shared runs that are read at a time to find those that match. */
const pageLength = 100;
/** How many of the newest runs are searched for open requests. More cannot be in progress. */
const searchedRuns = 500;

interface FileState {
  /** Differs if the file has changed. */
  readonly stamp: string;
  readonly isOpen: boolean;
  readonly isLocal: boolean;
}

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

  /** The newest runs that match, or the newest of those that are older than `before`. */
  async list(limit: number, before?: string, filter: RunFilter = {}): Promise<readonly RunOverview[]> {
    const isWanted = (run: RunOverview, task?: string) => this.#isVisible(run) && matches(run, filter, task);
    const [local, remote] = await Promise.all([
      this.#local.list(limit, before, isWanted),
      this.#listRemote(limit, before, isWanted),
    ]);
    return [...local, ...remote].sort((one, other) => (one.run_id > other.run_id ? -1 : 1)).slice(0, limit);
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

  /** What the agents of these runs ask permission for. For a job of an autopilot, `run_id` is that of the job. */
  async openRequests(
    listed?: readonly RunOverview[],
  ): Promise<readonly (PendingApproval & { readonly run_id: string })[]> {
    const open = (listed ?? (await this.list(searchedRuns))).filter(({ status }) => status === 'running');
    const lists = await Promise.all(
      open.map(async ({ run_id }) =>
        ((await this.show(run_id)).approvals ?? []).map((request) => ({
          ...request,
          run_id: request.run_id ?? run_id,
        })),
      ),
    );
    // A machine that is gone no longer says that a request has expired.
    return lists.flat().filter(({ expires_at }) => Date.now() < Date.parse(expires_at));
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
    if (!this.#isLocal(run) && order.kind === 'answer') return this.#answerRemote(run, id, order);
    if (!this.#isLocal(run))
      throw new Failure(
        'refused',
        `Run ${run} is on ${account.overview.host}. Use a server on that machine.`,
      );
    await this.#local.order(account, job, order);
  }

  /** Sends the answer of a form to the agent of a run in progress. */
  answer(id: string, approval: string, answer: ApprovalAnswer, context: Context): Promise<void> {
    const { recordDecision } = this.#delegation.options;
    const send = (run: string, order: RunOrder) => this.order(run, order);
    return sendAnswer(context, id, approval, answer, send, recordDecision);
  }

  /** Sends an answer through the database, and waits until the machine of the run says whether it counts. */
  async #answerRemote(run: string, id: string, order: RunOrder & { readonly kind: 'answer' }): Promise<void> {
    const key = `${id} ${order.approval}`;
    await this.#shared?.requestAnswer(run, key, { run: id, order });
    const deadline = performance.now() + cancelTimeoutMs;
    while (performance.now() < deadline) {
      const found = await this.#shared?.find(run);
      const settled = found?.answers?.[key];
      if (settled !== undefined && !isDeepStrictEqual(settled.order, order))
        throw new Failure(
          'refused',
          `Request "${order.approval}" was already answered by ${settled.order.by}.`,
        );
      if (settled?.problem === '') return;
      if (settled?.problem !== undefined) throw new Failure('refused', settled.problem);
      await pause(pollIntervalMs);
    }
    throw new Failure(
      'unavailable',
      `The machine of run ${run} has not confirmed the answer yet. It counts if the machine gets it before the request expires.`,
    );
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
      const agent = this.#delegation.findAgent(await readStart(path));
      return agentActivity(path, (raw) => agent.parse(this.#delegation.runner.redact(raw)));
    };
    return autopilot === undefined ? activityOf(record.run_dir) : autopilotActivity(autopilot, activityOf);
  }

  /** The directory of a run on this machine that has ended, for work on its changes. */
  async #ended(
    id: string,
    paths: readonly string[] | undefined,
    load = (run: string) => this.#recovered(run),
  ): Promise<ChosenChanges> {
    const { run, job } = parseId(id);
    const { overview, record } = await load(run);
    // Refuses a job that the run does not have, such as a path to another run.
    if (job !== undefined) await this.account(id);
    const { run_dir, status } = record;
    if (!this.#local.has(run))
      throw new Failure('refused', `Run ${run} is on another machine. Use its command line.`);
    if (isOpen({ status })) throw new Failure('refused', `Run ${run} is still in progress.`);
    if (job === undefined && overview.tool === 'delegate_compare')
      throw new Failure(
        'refused',
        `Run ${run} is a comparison. Name one of its candidates: ${run}/CANDIDATE.`,
      );
    return { id, directory: job === undefined ? run_dir : join(run_dir, 'subruns', job), paths };
  }

  /** Applies the changes that a run has kept, all or those of some files. */
  async apply(id: string, paths?: readonly string[], take?: 'run' | 'folder'): Promise<ChangedFiles> {
    const { applyRun } = await import('./run-changes.ts');
    return applyRun(await this.#ended(id, paths), take, this.#delegation.options);
  }

  /** Takes the applied changes of a run back, all or those of some files. */
  async undo(id: string, paths?: readonly string[]): Promise<ChangedFiles> {
    const { undoRun } = await import('./run-changes.ts');
    return undoRun(await this.#ended(id, paths), this.#delegation.options);
  }

  /** Makes branches of the commits that the agent made. */
  async branchCommits(id: string): Promise<readonly string[]> {
    const { branchCommits } = await import('./run-changes.ts');
    return branchCommits(await this.#ended(id, undefined), this.#delegation.options);
  }

  /** What a run changed. */
  async diff(id: string, paths?: readonly string[]): Promise<RunDiff> {
    const { diffRun } = await import('./run-changes.ts');
    // Readers never finish a run.
    const chosen = await this.#ended(id, paths, (run) => this.account(run));
    const stored = await readRegularFile(join(chosen.directory, 'changes.patch'), maxFileBytes).catch(
      () => '',
    );
    const { patch, ...diff } = await diffRun(chosen, stored, this.#delegation.options);
    return { ...diff, patch: this.#delegation.runner.redact(patch) };
  }

  /** The events of a run after a line, as readable lines. */
  async tail(id: string, after: number, limit: number, withDeltas = false): Promise<readonly EventLine[]> {
    const { run_dir } = await this.show(id);
    const isLocal = this.#isLocal(id);
    const { run, job } = parseId(id);
    const folder = job === undefined ? '' : `subruns/${job}/`;
    const readShared = async (name: string) => this.#shared?.file(run, folder + name);
    const agent = this.#delegation.findAgent(await readStart(run_dir, isLocal ? undefined : readShared));
    const events = isLocal
      ? new EventFile(join(run_dir, 'events.jsonl')).lines()
      : (await this.#readRemote(run, `${folder}events.jsonl`)).trimEnd().split('\n');
    const parse = (raw: string) => agent.parse(this.#delegation.runner.redact(raw));
    return describeLog(events, parse, after, limit, withDeltas);
  }

  /** Removes finished local runs: those that the settings do not keep, unless the caller has other rules. */
  async clean(isDry = false, rules: Retention = this.#delegation.options.retention): Promise<RemovalPlan> {
    return this.#local.clean(rules, isDry, (id) =>
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

  /** Whether a file of a run has changed since an earlier call, and whether it still can. `undefined` if there is no such run. */
  async stateOf(id: string, name: string): Promise<FileState | undefined> {
    if (!runIdPattern.test(id)) return undefined;
    if (!this.#local.has(id)) {
      const remote = await this.#findRemote(id);
      return remote && { stamp: remote.overview.status, isOpen: isOpen(remote.record), isLocal: false };
    }
    // Read in this order, a change at the end of the run is not missed.
    const isRunning = !this.#local.hasEnded(id);
    const file = await this.#local.artifactPath(id, name);
    const stats = file && (await disk.stat(file).catch(() => undefined));
    return { stamp: stats ? `${stats.mtimeMs} ${stats.size}` : '', isOpen: isRunning, isLocal: true };
  }

  /** Runs of other machines. Without the database, local runs must still be listed. */
  async #listRemote(
    limit: number,
    before: string | undefined,
    isWanted: (run: RunOverview) => boolean,
  ): Promise<readonly RunOverview[]> {
    const found: RunOverview[] = [];
    try {
      for (let oldest = before; this.#shared !== undefined && found.length < limit; ) {
        const page = await this.#shared.newest(pageLength, oldest);
        found.push(
          ...page
            .filter(({ overview }) => !this.#local.has(overview.run_id) && isWanted(overview))
            .map(({ overview, host }) => ({ ...overview, host })),
        );
        // A page can be short, because other versions store runs in other formats.
        if (page.length === 0) break;
        oldest = page.at(-1)!.overview.run_id;
      }
    } catch (error) {
      log('warning', 'the runs of other machines could not be listed', error);
    }
    return found;
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

/** Clients poll, so only the end of a long log is read. */
const tailBytes = 256 * 1024;

/** Says what the agent of a run directory is doing at the moment. */
async function agentActivity(path: string, parse: (raw: string) => readonly AgentEvent[]): Promise<string> {
  const file = join(path, 'events.jsonl');
  const size = (await disk.stat(file).catch(() => undefined))?.size ?? 0;
  const start = Math.max(0, size - tailBytes);
  const progress = new RunProgress();
  // The beginning of a long log is left out, but the agent has started.
  if (start > 0) progress.turns = 1;
  for await (const raw of new EventFile(file, start).lines())
    for (const event of parse(raw)) progress.apply(event);
  return progress.activity();
}

/** Says which jobs of an autopilot are in progress and what each is doing. */
async function autopilotActivity(
  { jobs }: AutopilotOutput,
  activityOf: (path: string) => Promise<string>,
): Promise<string> {
  if (jobs.length === 0) return 'planning the jobs';
  const running = jobs.filter(({ status }) => status === 'running');
  const waiting = jobs.filter(({ status }) => status === 'waiting').length;
  const finished = jobs.length - running.length - waiting;
  const activities = await Promise.all(
    running.map(async ({ title, run_dir }) => `${title}: ${await activityOf(run_dir)}`),
  );
  return [`${finished} of ${jobs.length} jobs finished`, ...activities].join('; ');
}
