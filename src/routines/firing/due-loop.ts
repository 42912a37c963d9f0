import { setTimeout as pause } from 'node:timers/promises';
import type { Actor } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import type { ExpandText } from '../../feature.ts';
import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { Pace, WakeSignal } from '../../pace.ts';
import { hasExited } from '../../store/owner.ts';
import type { Firing } from '../../store/schema.ts';
import { SharedLease } from '../../store/shared-lease.ts';
import type { Clock, Store } from '../../store/store.ts';
import type { Definitions } from '../definition/definitions.ts';
import {
  actorOf,
  type Creator,
  dayMs,
  hourMs,
  knownActor,
  pausedBecause,
  type Routine,
  type RoutineSettings,
  refusedRun,
  revoked,
  tooOften,
} from '../definition/routine.ts';
import { nextDueTimes } from '../schedule/due-times.ts';
import { isClockTrigger } from '../schedule/trigger.ts';
import { budgetOf, overBudget } from './day-budget.ts';
import { clockDues, eventDues, type FindEvents, lateness } from './dues.ts';
import { type Firings, isMissed, isTriggered, overlapReason, waitingPage } from './firings.ts';
import { type NewsOptions, tellNews } from './news.ts';
import { contextOf, type RunPort, type RunState } from './run-port.ts';
import { composeTask } from './task-text.ts';

export interface LoopOptions extends NewsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly definitions: Definitions;
  readonly firings: Firings;
  readonly settings: RoutineSettings;
  /** Id of this machine. */
  readonly machine: string;
  /** Unique across all processes and machines. */
  readonly owner: string;
  readonly runs: RunPort;
  readonly expandText: ExpandText;
  readonly findEvents: FindEvents;
  /** The creator with the present rights. Undefined if the token was revoked or has expired. */
  readonly present: (creator: Creator) => Actor | undefined;
}

/** Kind of the records that say which process fires the routines of a machine. */
export const leaderKind = 'routine-worker';
const leaseMs = 45_000;
/** Delays before a run that could not start is tried again. */
const retryMs = [30_000, 60_000, 5 * 60_000, 15 * 60_000, hourMs];
/** The longest time until the next look: the lease must be renewed, and changes of events and clocks noticed. */
const maxSleepMs = 15_000;
/** While runs are in progress, their ends are noticed within this time. */
const followMs = 2_000;
/** The least time between two turns: runs that start and end wake the loop often, and a turn takes longer the more routines there are. */
const restMs = 500;
const stopMs = 2_000;
/** After the end of its lease, nothing more is expected of an owner on another machine or in another container. */
const unknownMs = 10 * 60_000;

/** Fires the routines of this machine. One process on it does so at a time; the others wait for its lease to end. */
export class DueLoop {
  readonly #options: LoopOptions;
  /** Held by the one process that fires the routines of this machine. */
  readonly #lease: SharedLease<Record<string, never>>;
  readonly #starts = new Set<Promise<void>>();
  /** The firings whose runs this process is starting, and their routines, by id. */
  readonly #starting = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly #signal = new WakeSignal();
  /** Up to when the clock times of each routine are stored. Loaded when this process begins to fire. */
  #known: Map<string, number> | undefined;
  /** The next due time of each routine with a clock. Computing it takes longer than all the rest of a turn. */
  readonly #next = new Map<string, { readonly sinceMs: number; readonly ms: number }>();
  #prunedMs = 0;
  /** When everything that is due was looked at. */
  #lookedMs = 0;
  #running: Promise<void> | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    const { store, clock, machine: key, owner } = options;
    const lease = { kind: leaderKind, key, owner, durationMs: leaseMs };
    this.#lease = new SharedLease({ store, clock, hasExited, ...lease });
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Looks for due routines soon. */
  wake(): void {
    this.#signal.notify();
  }

  /** Ends the loop. Runs in progress go on, because their hosts are other processes. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    // A start that takes longer is found by the next worker.
    await Promise.race([Promise.allSettled(this.#starts), pause(stopMs, undefined, { ref: false })]);
    await this.#lease.release().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      let sleepMs = maxSleepMs;
      try {
        sleepMs = await this.tick();
      } catch (error) {
        log('warning', `routines could not be fired; the next turn tries again: ${messageOf(error)}`);
      }
      await pause(restMs, undefined, { signal }).catch(() => undefined);
      await this.#signal.wait(Math.min(sleepMs, maxSleepMs) - restMs);
    }
  }

  /** Stores what is due, starts what can start, and follows what runs. Returns the milliseconds until the next time to look. */
  async tick(): Promise<number> {
    const { firings, definitions, machine, clock } = this.#options;
    // A SQLite file that does not exist has no routines, and must not be created here.
    if (!firings.exists) return maxSleepMs;
    if ((await this.#lease.take({})) === undefined) {
      this.#known = undefined;
      return maxSleepMs;
    }
    const routines = new Map((await definitions.all()).map((routine) => [routine.id, routine]));
    const own = [...routines.values()].filter(
      (routine) => routine.machine === machine && routine.status === 'active',
    );
    this.#known ??= new Map(await firings.latest(machine));
    const pace = new Pace();
    for (const routine of own) {
      await pace.pause;
      await this.#store(routine).catch((error: unknown) =>
        log('warning', `the due times of routine ${routine.name} are unknown: ${messageOf(error)}`),
      );
    }
    const followed = await firings.active(machine);
    await this.#follow(followed, routines);
    const active = followed.length === 0 ? followed : await firings.active(machine);
    const isBusy = await this.#startDue(active, routines);
    await tellNews(routines, active, this.#options);
    if (clock() - this.#prunedMs > dayMs) {
      this.#prunedMs = clock();
      await firings.prune(machine, this.#options.settings.keepMs);
    }
    return this.#untilNext(own, isBusy, await firings.nextStart(machine));
  }

  /** Resolves when no start is in progress. */
  async idle(): Promise<void> {
    while (this.#starts.size > 0) await Promise.allSettled(this.#starts);
  }

  // ── Due times ──────────────────────────────────────────────────────────────────────────────────────────────

  async #store(routine: Routine): Promise<void> {
    const creator = this.#options.present(routine.creator);
    if (creator === undefined) return this.#pause(routine, revoked);
    const isClock = isClockTrigger(routine.trigger);
    const next = this.#next.get(routine.id);
    if (isClock && next?.sinceMs === routine.sinceMs && this.#options.clock() < next.ms) return;
    const due = isClock
      ? clockDues(routine, this.#known!.get(routine.id) ?? 0, this.#options)
      : await eventDues(routine, actorOf(routine, creator), this.#options);
    if (due.length > 0) await this.#options.firings.add(due);
    const last = due.at(-1);
    if (last !== undefined && last.source === 'clock') this.#known!.set(routine.id, last.dueMs);
    if (!isClock) return;
    const [ms = Number.POSITIVE_INFINITY] = nextDueTimes(
      routine.trigger,
      routine.zone,
      this.#options.clock(),
    );
    this.#next.set(routine.id, { sinceMs: routine.sinceMs, ms });
  }

  // ── Starting ───────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Looks at what is due in pages: at all of it while a run can start, and now and then; otherwise at what overlaps with a run.
   * Returns whether runs are in progress.
   */
  async #startDue(active: readonly Firing[], routines: ReadonlyMap<string, Routine>): Promise<boolean> {
    const { settings, clock, firings, machine } = this.#options;
    const begun = new Map([...this.#starting, ...active.map((one) => [one.id, one.routine_id] as const)]);
    const busy = new Set(begun.values());
    const slots = { free: settings.maxParallel - begun.size, busy };
    const isDue = Math.abs(clock() - this.#lookedMs) >= maxSleepMs;
    if (isDue) this.#lookedMs = clock();
    const consider = async (goesOn: () => boolean, some?: readonly string[]) => {
      let page: readonly Firing[] = [];
      do {
        page = await firings.waiting(machine, page.at(-1), some);
        for (const firing of page) await this.#consider(firing, routines.get(firing.routine_id), slots);
      } while (page.length === waitingPage && goesOn());
    };
    if (isDue || slots.free > 0) await consider(() => isDue || slots.free > 0);
    if (!isDue && busy.size > 0) await consider(() => true, [...busy]);
    return busy.size > 0;
  }

  /** Starts a firing if there is room for its run, or skips it. */
  async #consider(
    firing: Firing,
    routine: Routine | undefined,
    slots: { free: number; readonly busy: Set<string> },
  ): Promise<void> {
    const { clock, firings } = this.#options;
    // Its row says so only after it was claimed.
    if (this.#starting.has(firing.id)) return;
    const skip = (reason: string) => {
      const untold = isMissed(reason) ? 1 : 0;
      return firings.update(firing, { status: 'skipped', reason, ended_ms: clock(), untold });
    };
    const late = routine && lateness(routine, firing, clock());
    if (routine === undefined) await skip('the routine was deleted');
    // A start that failed can wait in a row while a model changes the routine.
    else if (routine.status === 'unconfirmed') await skip('the routine waits until a person confirms it');
    else if (routine.status === 'paused' && firing.source !== 'manual') await skip('the routine is paused');
    else if (slots.busy.has(routine.id)) {
      if (routine.overlap === 'skip')
        await skip(isTriggered(firing) ? `missed: ${overlapReason}` : overlapReason);
    } else if (late !== undefined) await skip(late);
    else if (slots.free > 0) {
      const reason = await this.#refusal(routine, firing);
      if (reason !== undefined) {
        await skip(reason);
        return;
      }
      slots.free -= 1;
      slots.busy.add(routine.id);
      this.fire(routine, firing);
    }
  }

  /** Why the routine must not start a run now, although it is its turn. */
  async #refusal(routine: Routine, firing: Firing): Promise<string | undefined> {
    const { settings, firings } = this.#options;
    const isLost = isTriggered(firing);
    if (isLost && (await firings.triggeredLately(routine.id)) > settings.maxPerHour) {
      await this.#pause(routine, tooOften(settings));
      return 'the routine was triggered too often';
    }
    const reason = await overBudget(routine, this.#options);
    return reason !== undefined && isLost ? `missed: ${reason}` : reason;
  }

  /** Starts the run of a firing. `idle` waits for it. */
  fire(routine: Routine, firing: Firing): void {
    const started = this.#fire(routine, firing)
      .catch((error: unknown) => log('error', `routine ${routine.name} could not be fired`, error))
      .finally(() => {
        this.#starts.delete(started);
        this.#starting.delete(firing.id);
      });
    this.#starts.add(started);
    this.#starting.set(firing.id, routine.id);
  }

  async #fire(routine: Routine, due: Firing): Promise<void> {
    const { firings, runs, expandText, present, clock, owner } = this.#options;
    const firing = await firings.claim(due, owner);
    if (firing === undefined) return;
    const creator = present(routine.creator);
    if (creator === undefined) {
      await firings.update(firing, { status: 'skipped', reason: revoked, ended_ms: clock() });
      await this.#pause(routine, revoked);
      return;
    }
    const actor = actorOf(routine, creator);
    let run: RunState;
    try {
      const context = contextOf(actor, routine);
      const task = await composeTask(routine, firing, expandText, context, clock());
      const budget = { run: await budgetOf(routine, this.#options) };
      run = await runs.start({ task, routine: { ...routine, budget } }, actor);
    } catch (error) {
      await this.#retryLater(routine, firing, messageOf(error));
      if (error instanceof Denied) await this.#pause(routine, `${refusedRun} ${messageOf(error)}`);
      else if (!(error instanceof Failure)) log('warning', `routine ${routine.name} could not start`, error);
      return;
    }
    await this.#record(routine, firing, run);
  }

  /** A run that could not start is tried again in the same row. */
  async #retryLater(routine: Routine, firing: Firing, reason: string): Promise<void> {
    const { firings, clock } = this.#options;
    const delay = retryMs[firing.attempts];
    const attempts = firing.attempts + 1;
    if (delay !== undefined) {
      const next_ms = clock() + delay;
      await firings.update(firing, { status: 'due', attempts, reason, run_id: null, next_ms });
    } else {
      await firings.update(firing, { status: 'failed', attempts, reason, ended_ms: clock(), untold: 1 });
      await this.#pauseIfFailing(routine);
    }
  }

  // ── Following ──────────────────────────────────────────────────────────────────────────────────────────────

  /** Follows runs of this machine although this process is not the one that fires. Fences keep both apart. */
  async settle(): Promise<void> {
    const { firings, definitions, machine } = this.#options;
    const active = await firings.active(machine);
    if (active.length === 0) return;
    await this.#follow(active, new Map((await definitions.all()).map((routine) => [routine.id, routine])));
  }

  async #follow(active: readonly Firing[], routines: ReadonlyMap<string, Routine>): Promise<void> {
    for (const firing of active) {
      const routine = routines.get(firing.routine_id);
      // A routine that was deleted has no firings.
      if (routine === undefined) continue;
      await this.#followOne(firing, routine).catch((error: unknown) => {
        if (error instanceof Failure && error.kind === 'unavailable') throw error;
        log('warning', `the run of routine ${routine.name} cannot be followed`, error);
      });
    }
  }

  async #followOne(firing: Firing, routine: Routine): Promise<void> {
    const { runs, clock, firings, owner } = this.#options;
    // Runs of a revoked token are followed as well.
    const actor = knownActor(routine.creator, this.#options.present);
    const end = { status: 'failed', ended_ms: clock(), untold: 1, lease_ms: null } as const;
    if (firing.status === 'running') {
      const run = await runs.find(firing.run_id!, actor);
      if (run !== undefined) await this.#record(routine, firing, run);
      else await firings.update(firing, { ...end, reason: 'its run was removed' });
      return;
    }
    if (this.#starting.has(firing.id)) return;
    const isGone = firing.owner === owner || hasExited(firing.owner ?? '');
    if (!isGone && (firing.lease_ms ?? 0) > clock()) return;
    const run = await runs.search(firing.id, firing.started_ms ?? 0, actor);
    if (run !== undefined) await this.#record(routine, firing, run);
    else if (isGone) await this.#retryLater(routine, firing, 'the worker ended before the run started');
    // A process that is only suspended could still start the run, so it is not repeated; but the routine must go on.
    else if ((firing.lease_ms ?? 0) + unknownMs < clock())
      await firings.update(firing, { ...end, reason: 'the worker did not say whether the run started' });
  }

  /** Stores what is known about the run of a firing. */
  async #record(routine: Routine, firing: Firing, run: RunState): Promise<void> {
    const { firings, clock } = this.#options;
    if (run.isOpen) {
      if (firing.status !== 'running')
        await firings.update(firing, { status: 'running', run_id: run.runId, reason: null, lease_ms: null });
      return;
    }
    if (!run.hasStarted) return this.#retryLater(routine, firing, run.result);
    const { status, result, tokens, usd } = run;
    await firings.update(firing, {
      ...{
        status,
        result,
        tokens,
        run_id: run.runId,
        ended_ms: clock(),
        reason: null,
        untold: 1,
        lease_ms: null,
      },
      usd_micros: usd === undefined ? null : Math.round(usd * 1_000_000),
    });
    if (status === 'failed') await this.#pauseIfFailing(routine);
  }

  async #pauseIfFailing(routine: Routine): Promise<void> {
    const { firings, settings } = this.#options;
    const { maxFailures: most } = settings;
    if (most > 0 && (await firings.hasFailed(routine.id, most, routine.sinceMs)))
      await this.#pause(routine, `It failed ${most} times in a row.`);
  }

  async #pause({ id }: Routine, reason: string): Promise<void> {
    const { definitions, firings, clock } = this.#options;
    const paused = await definitions.change(id, (routine) => pausedBecause(routine, reason, clock()));
    if (paused !== undefined) await firings.skipDue(id, 'the routine was paused');
  }

  #untilNext(own: readonly Routine[], isBusy: boolean, startMs = Number.POSITIVE_INFINITY): number {
    const now = this.#options.clock();
    let least = Math.min(isBusy ? followMs : maxSleepMs, Math.max(startMs - now, followMs));
    for (const { id } of own) least = Math.min(least, (this.#next.get(id)?.ms ?? least + now) - now);
    return least;
  }
}
