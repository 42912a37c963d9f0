import { existsSync } from 'node:fs';
import type { Change, Feature } from '../feature.ts';
import { log } from '../log.ts';
import type { Records } from '../records.ts';
import type { AgentName } from './agents/agent.ts';
import type { Sandbox } from './agents/sandbox.ts';
import type { AutopilotSettings } from './autopilot/autopilot-settings.ts';
import type { Limits } from './run/follower.ts';
import { delegateTools } from './tools/delegate-tools.ts';
import type { Desk } from './tools/delegation-runtime.ts';
import { runResources } from './tools/run-resources.ts';
import { runTools } from './tools/run-tools.ts';
import { taskMethods, tasksExtension } from './tools/tasks.ts';

/** The first look comes soon after the start, but not in its way. */
const firstSweepMs = 500;
const sweepEveryMs = 5_000;
/** While there are runs of dead servers, which may be parts of something that is to go on. */
const sweepSoonMs = 500;

export interface DelegateOptions {
  /** Only the tools that the published document knows, and each call answered at the end of its run. */
  readonly document: boolean;
  readonly agent: AgentName;
  readonly command: string | undefined;
  readonly codexHome: string;
  readonly userHome: string;
  /** The working directory of the server. */
  readonly startedIn: string;
  readonly runsDir: string;
  readonly ledgerFile: string;
  /** Where processes that work on one repository keep out of each other's way. */
  readonly locksDir: string;
  /** The environment of every program that is started. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables whose secret values are kept out of records, also those that programs are not given. */
  readonly knownVariables?: Readonly<Record<string, string | undefined>>;
  readonly maxParallel: number;
  readonly limits: Limits;
  readonly reasoningEffort: string | undefined;
  readonly ceiling: Sandbox;
  readonly dangerFolders: readonly string[];
  readonly writeFolders: readonly string[];
  readonly ownEntry: { readonly names: readonly string[]; readonly port: number };
  readonly autopilot: AutopilotSettings;
  readonly onDisconnect: 'cancel' | 'finish';
  /** After so long a call answers with the run's id; 0 to wait for its end. */
  readonly answerWithinMs: number;
  /** Where several machines tell each other of their runs. */
  readonly records?: Records;
  /** A prompt of the library filled with a text; `undefined` when there is none of that name. */
  expandPrompt?(name: string, input: string): Promise<string | undefined>;
}

/** Sub-agents that really finish. */
export function createDelegate(options: DelegateOptions): Feature {
  const listeners = new Set<(change: Change) => void>();
  const publish = (change: Change) => {
    for (const listener of listeners) listener(change);
  };
  let opened: Promise<Desk> | undefined;
  const desk = () => {
    opened ??= import('./tools/delegation-runtime.ts')
      .then(({ openDesk }) => openDesk(options, publish))
      .catch((error) => {
        // Not kept: a load that failed with too many open files succeeds later.
        opened = undefined;
        throw error;
      });
    return opened;
  };
  const runs = async () => (await desk()).runs;

  // Servers that come up later take over what earlier ones had to leave.
  let next: NodeJS.Timeout;
  let closed = false;
  const sweepAfter = (milliseconds: number) => {
    next = setTimeout(async () => {
      if (options.records !== undefined || existsSync(options.ledgerFile))
        await (await desk()).sweep().catch(complain);
      const hasAdopted = (await opened)?.delegation.supervisor.hasAdopted === true;
      if (!closed) sweepAfter(hasAdopted ? sweepSoonMs : sweepEveryMs);
    }, milliseconds).unref();
  };
  sweepAfter(firstSweepMs);

  return {
    name: 'delegate',
    tools: options.document
      ? delegateTools(options, desk)
      : [...delegateTools(options, desk), ...runTools(runs, options.answerWithinMs || 50_000)],
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
