import { existsSync } from 'node:fs';
import { type Context, isOwner } from '../context.ts';
import { Denied } from '../failure.ts';
import { type Change, extensions, type Feature, type Metric } from '../feature.ts';
import { log } from '../log.ts';
import { Lazy } from '../pace.ts';
import { type FollowedFile, followWrites } from '../store/file-writes.ts';
import type { DelegateOptions } from './run/delegate-options.ts';
import { agentTools } from './tools/agent-tools.ts';
import { compareTool } from './tools/compare-tool.ts';
import { delegateTools } from './tools/delegate-tools.ts';
import { forkTool } from './tools/fork-tool.ts';
import { runResources } from './tools/run-resources.ts';
import { runTools } from './tools/run-tools.ts';
import { statisticsTools } from './tools/statistics-tool.ts';
import { taskMethods } from './tools/tasks.ts';

/** Delays the first look at the queue so that it does not slow down the start. */
const firstLookMs = 500;
/** A little less than the time from one look at an idle queue to the next. */
const sweepIntervalMs = 4_000;
/** How long the news of a run waits for a server. */
const newsIntervalMs = 1_000;

export interface DelegateFeature extends Feature {
  /** Throws a failure if the caller is a sub-agent. `what` names what it must not do. */
  refuseSubagents(context: Context, what: string): Promise<void>;
}

/** Creates the feature that runs sub-agents: its tools, resources and task methods. */
export function createDelegate(options: DelegateOptions): DelegateFeature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  const opening = new Lazy(async () => {
    const { openDelegationRuntime } = await import('./tools/delegation-runtime.ts');
    return openDelegationRuntime(options, publish);
  });
  const runtime = () => opening.get();
  const runs = async ({ actor }: Context) => (await runtime()).runs.visibleTo(actor);

  /** Runs that have ended and wait for nothing. That never changes again. */
  const settledRuns = new Set<string>();
  let sweptMs = -Infinity;
  let sweeping: Promise<void> | undefined;
  const sweep = async () => {
    if (options.records === undefined && !(options.recoversRuns && existsSync(options.queueFile))) return;
    await runtime()
      .then((opened) => opened.sweep())
      .catch((error: unknown) => log('error', 'runs whose hosts were killed could not be recovered', error));
  };
  const look = async () => {
    if (sweeping === undefined && performance.now() > sweptMs + sweepIntervalMs)
      sweeping = sweep().finally(() => {
        sweeping = undefined;
        sweptMs = performance.now();
      });
    if (!options.recoversRuns || !options.outreach || !existsSync(options.queueFile)) return;
    await runtime()
      .then((opened) => opened.tell())
      .catch((error: unknown) => log('warning', 'people could not be told about runs', error));
  };
  let following: FollowedFile | undefined;
  const firstLook = setTimeout(() => {
    const pace = { apartMs: newsIntervalMs, isBackground: true };
    following = followWrites(options.queueFile, pace, look);
  }, firstLookMs).unref();

  return {
    name: 'delegate',
    tools: options.document
      ? delegateTools(options, runtime)
      : [
          ...delegateTools(options, runtime),
          compareTool(options, runtime),
          forkTool(options, runtime),
          ...agentTools(options, runtime),
          ...statisticsTools(runs, runtime),
          ...runTools(runs, runtime, options.answerWithinMs || 50_000),
        ],
    ...(!options.document && {
      inbox: [
        {
          tool: 'list_runs',
          list: async (context) => {
            const { waitingItems } = await import('./tools/run-inbox.ts');
            return waitingItems(await runs(context), settledRuns);
          },
        },
        // The owner sees all requests among the runs.
        {
          tool: 'list_approvals',
          list: async ({ actor }) => {
            if (isOwner(actor)) return [];
            const { mayDecide } = await import('./run/approvers.ts');
            if (!(await mayDecide(actor, options))) return [];
            const { waitingApprovals } = await import('./tools/run-inbox.ts');
            return waitingApprovals((await runtime()).runs);
          },
        },
      ],
      resources: runResources(runs, (uri) => publish({ kind: 'resource', uri })),
      methods: taskMethods(runs),
      extensions: extensions.delegate,
    }),
    async refuseSubagents(context, what) {
      const { readCaller } = await import('./run/permissions.ts');
      if (await (await runtime()).delegation.isSubagent(readCaller(context)))
        throw new Denied('refused', `A sub-agent may not ${what}; report what you want in your result.`);
    },
    problems: async () => (await opening.current)?.problems() ?? [],
    metrics: async () => {
      // Counting runs must not create the queue.
      if (!existsSync(options.queueFile)) return openRunMetrics([]);
      return openRunMetrics((await (await runtime()).delegation.runner.queue).open());
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearTimeout(firstLook);
      // Not awaited: a person cannot be told about a run while the database does not answer.
      void following?.close();
      await (await opening.current)?.close();
    },
  };
}

function openRunMetrics(open: readonly { readonly state: string }[]): readonly Metric[] {
  return ['waiting', 'running'].map((state) => ({
    name: 'runs_open',
    help: 'Runs of this machine that wait or are in progress',
    type: 'gauge',
    labels: { state },
    value: open.filter((run) => (run.state === 'waiting' ? 'waiting' : 'running') === state).length,
  }));
}
