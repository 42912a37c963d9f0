import type { JsonSchema } from '../../json.ts';
import type { AgentEvent, Usage } from '../agents/agent.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import type { Evidence } from '../changes/evidence.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { EndedProcess } from '../process/process-end.ts';
import type { RunStatus } from './outcome.ts';

/** One call of an agent, from an empty run directory to `result.json`. */
export interface RunRequest {
  readonly directory: RunDirectory;
  readonly tool: 'delegate_run' | 'delegate_resume' | 'delegate_autopilot';
  /** Goes in on standard input as it is. */
  readonly prompt: string;
  readonly outputSchema: JsonSchema;
  readonly cwd: string;
  /** Already granted; nothing here widens it. */
  readonly sandbox: Sandbox;
  readonly threadId?: string;
  readonly model?: string;
  readonly reasoningEffort?: string;
  readonly configOverrides?: readonly string[];
  readonly skipGitRepoCheck?: boolean;
  readonly ephemeral?: boolean;
  readonly skills?: 'all' | 'named';
  readonly disable?: readonly string[];
  /** Instead of the configured limit. */
  readonly totalTimeoutMs?: number;
  /** Things to tell with the result. */
  readonly warnings?: readonly string[];
}

export interface RunHooks {
  /** Ends the run for real: the agent and every process it has started. */
  readonly signal: AbortSignal;
  onEvent?(event: AgentEvent): void;
  /** Told once when the run has to wait for others, and once when it starts. */
  onState?(state: 'waiting' | 'running'): void;
}

export interface RunResult {
  readonly status: RunStatus;
  /** Why it is not `completed`, in one sentence. */
  readonly error: string | null;
  readonly threadId: string | null;
  /** The final message as it was written; `undefined` when there is none. */
  readonly lastMessage: string | undefined;
  /** The final message as a value that fits `outputSchema`; `undefined` when it does not. */
  readonly answer: unknown;
  /** Tokens of this run alone. */
  readonly usage: Usage | null;
  readonly timing: Timing;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What became of the working folder, as the server saw it; `null` when there is nothing to see. */
  readonly evidence: Evidence | null;
  /** The processes that had to be ended, when the run was. */
  readonly ended: readonly EndedProcess[];
  /** Things to tell that did not stop the run. */
  readonly warnings: readonly string[];
}

export interface Timing {
  readonly started_at: string;
  readonly finished_at: string;
  readonly duration_ms: number;
}

/** Waits for a place among the parallel runs, starts the agent, follows it to its end and tells what came of it. */
export type RunAgent = (request: RunRequest, hooks: RunHooks) => Promise<RunResult>;
