import { existsSync } from 'node:fs';
import type { Change, Feature } from '../feature.ts';
import { log } from '../log.ts';
import type { DelegateOptions } from './settings/delegate-options.ts';
import { delegateTools } from './tools/delegate-tools.ts';
import type { DelegationRuntime } from './tools/delegation-runtime.ts';
import { runResources } from './tools/run-resources.ts';
import { runTools } from './tools/run-tools.ts';
import { taskMethods, tasksExtension } from './tools/tasks.ts';

/** The first look comes soon after the start, but not in its way. */
const firstSweepMs = 500;
const sweepEveryMs = 5_000;
/** While there are runs of dead servers, which may be parts of something that is to go on. */
const sweepSoonMs = 500;

/** Sub-agents that really finish. */
export function createDelegate(options: DelegateOptions): Feature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  let opened: Promise<DelegationRuntime> | undefined;
  const runtime = () => {
    opened ??= import('./tools/delegation-runtime.ts')
      .then(({ openDelegationRuntime }) => openDelegationRuntime(options, publish))
      .catch((error) => {
        // Not kept: a load that failed with too many open files succeeds later.
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const runs = async () => (await runtime()).runs;

  // Servers that come up later take over what earlier ones had to leave.
  let next: NodeJS.Timeout;
  let closed = false;
  const sweepAfter = (milliseconds: number) => {
    next = setTimeout(async () => {
      if (options.records !== undefined || existsSync(options.queueFile))
        await (await runtime()).sweep().catch(complain);
      const hasAdopted = (await opened)?.delegation.supervisor.hasAdopted === true;
      if (!closed) sweepAfter(hasAdopted ? sweepSoonMs : sweepEveryMs);
    }, milliseconds).unref();
  };
  sweepAfter(firstSweepMs);

  return {
    name: 'delegate',
    tools: options.document
      ? delegateTools(options, runtime)
      : [...delegateTools(options, runtime), ...runTools(runs, options.answerWithinMs || 50_000)],
    ...(!options.document && {
      resources: runResources(runs),
      methods: taskMethods(runs),
      extensions: { [tasksExtension]: {} },
    }),
    problems: async () => (await opened)?.problems() ?? [],
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      closed = true;
      clearTimeout(next);
      await (await opened)?.close();
    },
  };
}

function complain(error: unknown): void {
  log('error', 'runs of earlier servers cannot be looked after', error);
}
