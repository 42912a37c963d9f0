import type { Usage } from '../agents/agent.ts';
import type { Evidence } from '../changes/evidence.ts';
import type { Artifact } from '../files/run-directory.ts';
import type { Answer } from '../record/answer.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { Timing } from '../record/run-request.ts';
import type { Decision } from './decision.ts';
import type { JobSpec } from './job-spec.ts';

export type JobStatus = 'completed' | 'failed' | 'cancelled' | 'skipped' | 'running' | 'waiting';

/** What one job came to: the run of its agent, and how its work reached the tree. */
export interface JobResult extends Omit<RunRecord, 'status' | 'evidence'> {
  readonly id: string;
  readonly title: string;
  readonly status: JobStatus;
  readonly evidence: Evidence | null;
  /** Where the job had a working tree of its own: its changes, and whether they are in. */
  readonly patch?: Patch;
}

export interface Patch {
  readonly path: string;
  readonly applied: boolean;
  readonly conflicts: readonly string[];
}

/** `delegate_autopilot` as it answers. */
export interface AutopilotOutput {
  readonly run_id: string;
  readonly run_dir: string;
  readonly decision: Decision;
  readonly plan: { readonly jobs: readonly JobSpec[]; readonly source: PlanSource };
  readonly jobs: readonly JobResult[];
  readonly aggregate: Answer;
  readonly artifacts: readonly Artifact[];
  readonly timing: Timing;
  readonly status: 'completed' | 'failed' | 'cancelled' | 'running';
  readonly error: string | null;
  /** Tokens of the planner and all jobs. */
  readonly usage: Usage | null;
  readonly warnings: readonly string[];
}

/** Who made the plan: nobody, the model, the model after it was told its mistakes, or the rule that always works. */
export type PlanSource = 'none' | 'model' | 'repaired' | 'fallback';
