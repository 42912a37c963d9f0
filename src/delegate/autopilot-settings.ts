import type { JobSetup } from './job-spec.ts';

/** How autopilots are flown where the caller does not say. */
export interface AutopilotSettings extends Pick<JobSetup, 'models' | 'efforts'> {
  /** `fixed` asks no model for a plan. */
  readonly planner: 'model' | 'fixed';
  readonly plannerTimeoutMs: number;
  readonly worktrees: WorktreeRule;
  /** The beginnings of the commands that may run as acceptance checks. */
  readonly checks: readonly string[];
  readonly checkTimeoutMs: number;
}

export const worktreeRules = ['never', 'overlap', 'always'] as const;
/** Which writing jobs get a tree of their own: none, those that would get in each other's way, or all. */
export type WorktreeRule = (typeof worktreeRules)[number];
