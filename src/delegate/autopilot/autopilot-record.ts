import type { Usage } from '../agents/agent.ts';
import { readJson } from '../files/json-file.ts';
import { RunDirectory } from '../files/run-directory.ts';
import { asAnswer } from '../record/answer.ts';
import { deliveryState } from '../workspace/kept-changes.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { Comparison } from './comparison.ts';
import type { Decision } from './decision.ts';

/** Loads an autopilot from its run directory, finished or not. */
export async function loadAutopilot(path: string, id: string): Promise<AutopilotOutput | undefined> {
  const directory = new RunDirectory(path, id);
  const [request, decision, plan, progress, result, comparison] = await Promise.all(
    ['request', 'autopilot_decision', 'autopilot_plan', 'autopilot_aggregate', 'result', 'comparison'].map(
      (name) => readJson(directory.file(`${name}.json`)),
    ),
  );
  if (request === undefined) return undefined;
  const startedAt = String(result?.['started_at'] ?? request['received_at']);
  const jobs = (progress?.['jobs'] as JobResult[] | undefined) ?? [];
  return {
    run_id: id,
    run_dir: path,
    decision: (decision as Decision | undefined) ?? { should_delegate: false, reason: 'Not decided yet.' },
    plan: { jobs: [], source: 'none', ...(plan as Partial<AutopilotOutput['plan']> | undefined) },
    jobs,
    aggregate: asAnswer(result) ??
      asAnswer(progress) ?? { summary: 'Planning.', deliverables: [], open_questions: [], next_actions: [] },
    artifacts: await directory.artifacts(),
    timing: {
      started_at: startedAt,
      finished_at: String(result?.['finished_at'] ?? startedAt),
      duration_ms: Number(result?.['duration_ms'] ?? Math.max(0, Date.now() - Date.parse(startedAt))),
    },
    status: (result?.['status'] as AutopilotOutput['status'] | undefined) ?? 'running',
    error: (result?.['error'] as string | null | undefined) ?? null,
    usage: ((result ?? progress)?.['usage'] as Usage | null | undefined) ?? null,
    warnings: ((result ?? plan)?.['warnings'] as string[] | undefined) ?? [],
    ...(comparison && { comparison: await withDeliveries(comparison as unknown as Comparison, directory) }),
  };
}

/** Adds which candidates are delivered: people can deliver and undo them after the comparison has ended. */
async function withDeliveries(comparison: Comparison, directory: RunDirectory): Promise<Comparison> {
  const candidates = comparison.candidates.map(async (candidate) => ({
    ...candidate,
    delivery: await deliveryState(directory.file(`subruns/${candidate.id}/${workspaceFolder}`)),
  }));
  return { ...comparison, candidates: await Promise.all(candidates) };
}

/** The output of an autopilot that failed before it started any job. */
export function failedAutopilot(error: string): AutopilotOutput {
  const moment = new Date().toISOString();
  return {
    run_id: 'unknown',
    run_dir: 'unknown',
    decision: { should_delegate: false, reason: error },
    plan: { jobs: [], source: 'none' },
    jobs: [],
    aggregate: { summary: 'Autopilot failed.', deliverables: [], open_questions: [], next_actions: [] },
    artifacts: [],
    timing: { started_at: moment, finished_at: moment, duration_ms: 0 },
    status: 'failed',
    error,
    usage: null,
    warnings: [],
  };
}
