import type { AgentName } from '../agents/agent.ts';
import type { Agents } from '../agents/agents.ts';
import type { Containment } from '../process/containment.ts';
import type { WorkspaceKind } from '../workspace/workspace.ts';
import type { Limits } from './follower.ts';
import type { MeterOptions } from './run-meter.ts';
import type { StartOptions } from './run-start.ts';

/** What running agents depends on. */
export type RunnerOptions = ConstructorParameters<typeof Agents>[0] &
  StartOptions &
  MeterOptions & {
    readonly agent: AgentName;
    /** True under the drop-in contract. */
    readonly document: boolean;
    readonly queueFile: string;
    readonly runsDir: string;
    /** Maximum number of running agents, counted over all runs of the user. */
    readonly maxParallel: number;
    readonly limits: Limits;
    /** How the processes of an agent are kept together. Default: the best way that works. */
    readonly containment?: Containment | 'auto';
    /** Folders above this size are not copied to isolate a run. */
    readonly copyLimitBytes: number;
    readonly workspaceKinds?: readonly WorkspaceKind[];
  };
