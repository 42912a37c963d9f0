import type { JsonSchema } from '../../json.ts';
import type { AgentCall, AgentEvent, AgentName } from '../agents/agent.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import type { Overlay } from '../process/containment.ts';
import type { ApplyMode } from '../workspace/apply-mode.ts';
import type { Evidence } from '../workspace/evidence.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import type { Budget } from './budget.ts';
import type { RunEnd } from './run-state.ts';

/** True for the tools whose runs consist of jobs. */
export function hasJobs(tool: unknown): boolean {
  return tool === 'delegate_autopilot' || tool === 'delegate_compare';
}

/** One call of an agent, from an empty run directory to `result.json`. */
export interface RunRequest
  extends Pick<AgentCall, 'cwd' | 'origin' | 'sandbox' | 'threadId' | 'fork' | 'model' | 'reasoningEffort'>,
    Partial<typeof callDefaults> {
  readonly directory: RunDirectory;
  readonly tool: 'delegate_run' | 'delegate_resume' | 'delegate_autopilot' | 'delegate_compare' | 'fork_run';
  /** Default: the configured agent. */
  readonly agent?: AgentName;
  /** Passed unchanged to the agent's standard input. */
  readonly prompt: string;
  readonly outputSchema: JsonSchema;
  /** When the changes of a writing run are applied. Default: when it ends. */
  readonly apply?: ApplyMode;
  /** The directory of an earlier run whose changes are not applied. This run continues with them. */
  readonly continues?: string;
  /** The run whose workspace this one uses: an autopilot for its jobs, or the earlier run for one that only reads. */
  readonly sharedBy?: { readonly id: string; readonly path: string };
  /** Where the agent's changes go if it writes. Set when the run starts. */
  readonly overlay?: Overlay;
  /** How long a request for permission waits for an answer, unless the settings say so. */
  readonly approvalTimeoutMs?: number;
  /** Limits of this run, besides those of the settings. */
  readonly budget?: Budget;
  /** False if the caller itself handles answers that do not match the schema. Default: the agent repairs them once. */
  readonly repairsAnswer?: boolean;
  /** Overrides the configured time limit. */
  readonly totalTimeoutMs?: number;
  /** Warnings to include in the result. */
  readonly warnings?: readonly string[];
}

/** What a request need not say. */
export const callDefaults: Pick<
  AgentCall,
  'approvals' | 'configOverrides' | 'skipGitRepoCheck' | 'ephemeral' | 'skills' | 'disable' | 'reads'
> = {
  approvals: 'never',
  configOverrides: [],
  skipGitRepoCheck: false,
  ephemeral: false,
  skills: 'all',
  disable: [],
};

export interface RunHooks {
  /** Cancels the run and terminates the agent with every process it has started. */
  readonly signal: AbortSignal;
  onEvent?(event: AgentEvent): void;
  /** Called with the function that takes orders for the run, when its conversation starts and, with `undefined`, when it ends. */
  onConversation?(runId: string, execute: ((order: RunOrder) => Promise<void>) | undefined): void;
  /** Called once if the run has to wait in the queue, and once when it starts. */
  onState?(state: 'waiting' | 'running'): void;
}

/** What a run host knows about a run that has ended. The part that stays readable is its `RunEnd`. */
export interface RunResult extends Omit<RunEnd, 'answer'> {
  /** The final message as the agent wrote it. `undefined` if there is none. */
  readonly lastMessage: string | undefined;
  /** The parsed final message. `undefined` if it does not match `outputSchema`. */
  readonly answer: unknown;
  readonly costUsd: number | null;
  readonly agent: AgentName;
  /** File changes that the server observed in the working folder. `null` if it recorded none. */
  readonly evidence: Evidence | null;
}

/** Waits in the queue, starts the agent, follows it until it exits, and returns the result. */
export type RunAgent = (request: RunRequest, hooks: RunHooks) => Promise<RunResult>;
