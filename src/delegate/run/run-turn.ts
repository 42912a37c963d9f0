import type { WakeSignal } from '../../pace.ts';
import type { AgentRunner } from './agent-runner.ts';
import { requestedStop } from './follower.ts';
import type { Stop } from './outcome.ts';
import { recoverRuns } from './run-recovery.ts';
import type { RunHooks, RunRequest } from './run-request.ts';

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
