import type { Usage } from '../agents/agent.ts';
import type { Evidence } from '../changes/evidence.ts';
import type { Artifact } from '../files/run-directory.ts';
import type { Answer } from '../record/answer.ts';
import type { RunStatus } from '../record/outcome.ts';
import type { RunRecord } from '../record/run-record.ts';
import type { Timing } from '../record/run-request.ts';
import type { Comparison } from './comparison.ts';
import type { Decision } from './decision.ts';
import type { JobSpec } from './job-spec.ts';

export type JobStatus = RunStatus | 'skipped' | 'running' | 'waiting';

/** The result of one job: the run of its agent, and whether its changes were merged. */
export interface JobResult extends Omit<RunRecord, 'status' | 'evidence'> {
  readonly id: string;
  readonly title: string;
  readonly status: JobStatus;
  readonly evidence: Evidence | null;
  /** The changes of an isolated job. */
  readonly patch?: Patch;
}

export interface Patch {
  readonly path: string;
  readonly applied: boolean;
  readonly conflicts: readonly string[];
}

/** The structured result of `delegate_autopilot`. */
export interface AutopilotOutput {
  readonly run_id: string;
  readonly run_dir: string;
  readonly decision: Decision;
  readonly plan: { readonly jobs: readonly JobSpec[]; readonly source: PlanSource };
  readonly jobs: readonly JobResult[];
  readonly aggregate: Answer;
  readonly artifacts: readonly Artifact[];
  readonly timing: Timing;
  readonly status: RunStatus | 'running';
  readonly error: string | null;
  /** The tokens of the planner and all jobs. */
  readonly usage: Usage | null;
  readonly warnings: readonly string[];
  /** The result of `delegate_compare`. */
  readonly comparison?: Comparison;
}

/** The origin of the plan: `none` if there is no plan, `repaired` for the model's second attempt. */
export type PlanSource = 'none' | 'model' | 'repaired' | 'fallback';
