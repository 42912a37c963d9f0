import { existsSync } from 'node:fs';
import { log } from '../../log.ts';
import { type WakeSignal, within } from '../../pace.ts';
import type { AgentName } from '../agents/agent.ts';
import { isInFolder } from '../process/folder-scope.ts';
import { terminateRun } from '../process/process-end.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import type { AgentRunner } from './agent-runner.ts';
import { EventFile } from './event-file.ts';
import { requestedStop } from './follower.ts';
import { isJob, type OpenRun, ownRuns } from './open-run.ts';
import type { Stop } from './outcome.ts';
import { endEvent } from './run-events.ts';
import { RunProgress } from './run-progress.ts';
import type { RunQueue } from './run-queue.ts';
import type { RunHooks, RunRequest, RunResult } from './run-request.ts';
import { hasEnd } from './run-state.ts';

/** A run whose host was killed. `process` is its agent, if it was recorded. */
export type InterruptedRun = Pick<OpenRun, 'directory' | 'runId' | 'agent'> &
  Partial<Pick<OpenRun, 'process' | 'startedAt'>>;

/**
 * Ends what is left of a run whose host was killed, and writes its result. With `mayRepeat`, a run whose agent had not
 * finished gets no result, because the caller runs it again.
 */
export async function recoverRun(
  runner: AgentRunner,
  run: InterruptedRun,
  mayRepeat = false,
): Promise<RunResult | undefined> {
  const directory = new RunDirectory(run.directory, run.runId, runner.redact);
  const queue = await runner.queue;
  const ended = await terminateRun(run.process ?? undefined, run.runId, 0);
  const agent = runner.agents.of(run.agent);
  const progress = new RunProgress();
  let secrets = false;
  for await (const line of new EventFile(directory.file('events.jsonl')).lines()) {
    const clean = runner.redact(line);
    secrets ||= clean !== line;
    for (const event of agent.parse(clean)) progress.apply(event);
  }
  const isOver = hasEnd(run.directory) || !existsSync(run.directory);
  if (isOver || (mayRepeat && progress.end === undefined)) {
    queue.finish(run.directory, await endEvent(queue.events, run.directory));
    return undefined;
  }
  const stop = requestedStop(undefined, queue, run.directory);
  const wasStarted = existsSync(directory.file('events.jsonl'));
  return runner.finish({
    directory,
    agent,
    startedAt: new Date(run.startedAt ?? Date.now()),
    progress,
    ended,
    secrets,
    ...(stop !== undefined && { stop }),
    ...(!wasStarted &&
      stop === undefined && { spawnError: 'the run was interrupted before its agent was started' }),
  });
}

/**
 * Finishes the runs whose hosts were killed, except autopilots, which can continue. Also finishes runs that this process owns
 * but no longer carries: their result could not be stored before, for example because the disk was full. With `only`, finishes
 * the run in this directory, or the jobs of the autopilot in it.
 */
export async function recoverRuns(runner: AgentRunner, only?: string): Promise<void> {
  const queue = await runner.queue;
  for (const run of queue.open()) {
    if (!isWithin(run, only)) continue;
    const { directory } = run;
    if (run.state === 'autopilot' || ownRuns.has(directory)) continue;
    if (!queue.isOwn(run) && (await queue.isCarried(run))) continue;
    // The job of an autopilot is finished or repeated by the next host of the autopilot.
    const work = isJob(run)
      ? terminateRun(run.process ?? undefined, run.runId, 0, () => isUnclaimed(queue, run))
      : takeOverRun(runner, run);
    await inTime(run.runId, work);
  }
}

/** Finishes a run that has no place in the queue. The place that it gets keeps other servers from finishing it as well. */
export async function recoverUnlisted(
  runner: AgentRunner,
  directory: RunDirectory,
  tool: RunRequest['tool'],
  agent: AgentName,
): Promise<void> {
  const { path, id } = directory;
  if (!(await runner.enqueue({ directory, tool, agent }))) return;
  ownRuns.add(path);
  const work = recoverRun(runner, { directory: path, runId: id, agent });
  await inTime(
    id,
    work.finally(() => ownRuns.delete(path)),
  );
}

/** One run that cannot be finished, or not soon, must not keep others from being finished. */
async function inTime(runId: string, work: Promise<unknown>): Promise<void> {
  const done = work
    .then(() => true)
    .catch((error: unknown) => {
      log('warning', `run ${runId} could not be finished`, error);
      return true;
    });
  if ((await within(done, recoveryTimeoutMs)) === undefined)
    log('warning', `run ${runId} could not be finished within ${recoveryTimeoutMs / 1000} s`);
}

const recoveryTimeoutMs = 60_000;

/** Finishes a run whose host was killed, unless this process carries it or another one was first. */
async function takeOverRun(runner: AgentRunner, run: OpenRun): Promise<RunResult | undefined> {
  const { directory } = run;
  const queue = await runner.queue;
  if (ownRuns.has(directory) || !queue.claim(run)) return undefined;
  ownRuns.add(directory);
  return recoverRun(runner, run).finally(() => ownRuns.delete(directory));
}

export function isWithin({ directory }: Pick<OpenRun, 'directory'>, only: string | undefined): boolean {
  return only === undefined || isInFolder(directory, only);
}

/** False if the next host of the autopilot has taken over the job. */
function isUnclaimed(queue: RunQueue, { directory, owner }: OpenRun): boolean {
  const now = queue.find(directory);
  return now?.owner.pid === owner.pid && now.owner.born === owner.born;
}

const pollIntervalMs = 100;
/** How often a waiting run checks whether the runs before it are still alive. */
const livenessCheckMs = 2_000;

/** Waits for a place in the queue. Returns nothing when the run may start, or the reason why it will not start. */
export async function waitForTurn(
  runner: AgentRunner,
  { directory: { path } }: RunRequest,
  wakeSignal: WakeSignal,
  { signal, onState }: RunHooks,
): Promise<Stop | undefined> {
  const queue = await runner.queue;
  let version: number | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  for (let first = true; ; first = false) {
    const stop = requestedStop(signal, queue, path);
    if (stop !== undefined) return stop;
    // Nothing can have changed for this run if nobody has changed the queue and nobody has died.
    const isDue = performance.now() - checkedAt > livenessCheckMs;
    if (isDue && !first) await recoverRuns(runner);
    if (queue.version !== version || isDue) {
      version = queue.version;
      checkedAt = performance.now();
      if (await runner.tryStart(queue, path)) return undefined;
    }
    if (first) onState?.('waiting');
    await wakeSignal.wait(pollIntervalMs);
  }
}
