import { join } from 'node:path';
import type { Usage } from './agent.ts';
import { aggregate, overall } from './aggregate.ts';
import { asAnswer } from './answer.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { Decision } from './decision.ts';
import { resultFile } from './flight-log.ts';
import { readJson } from './json-file.ts';
import { loadRecord } from './record.ts';
import { RunDirectory } from './run-directory.ts';

/** An autopilot as its directory tells it, at any point of its way. */
export async function loadAutopilot(path: string, id: string): Promise<AutopilotOutput | undefined> {
  const directory = new RunDirectory(path, id);
  const [request, decision, plan, sum, result] = await Promise.all(
    ['request', 'autopilot_decision', 'autopilot_plan', 'autopilot_aggregate', 'result'].map((name) =>
      readJson(directory.file(`${name}.json`)),
    ),
  );
  if (request === undefined) return undefined;
  const startedAt = String(result?.['started_at'] ?? request['received_at']);
  const jobs = (sum?.['jobs'] as JobResult[] | undefined) ?? [];
  return {
    run_id: id,
    run_dir: path,
    decision: (decision as Decision | undefined) ?? { should_delegate: false, reason: 'Not decided yet.' },
    plan: { jobs: [], source: 'none', ...(plan as Partial<AutopilotOutput['plan']> | undefined) },
    jobs,
    aggregate: asAnswer(result) ??
      asAnswer(sum) ?? { summary: 'Planning.', deliverables: [], open_questions: [], next_actions: [] },
    artifacts: await directory.artifacts(),
    timing: {
      started_at: startedAt,
      finished_at: String(result?.['finished_at'] ?? startedAt),
      duration_ms: Number(result?.['duration_ms'] ?? Math.max(0, Date.now() - Date.parse(startedAt))),
    },
    status: (result?.['status'] as AutopilotOutput['status'] | undefined) ?? 'running',
    error: (result?.['error'] as string | null | undefined) ?? null,
    usage: ((result ?? sum)?.['usage'] as Usage | null | undefined) ?? null,
    warnings: ((result ?? plan)?.['warnings'] as string[] | undefined) ?? [],
  };
}

/** Nothing could be begun; the caller is told in the usual shape. */
export function grounded(error: string): AutopilotOutput {
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

/**
 * The end of an autopilot whose server has died: what its jobs came to since then is gathered, and what had not begun is
 * skipped. Only to be called when none of its runs is open any more.
 */
export async function settleAutopilot(
  path: string,
  id: string,
  redact: (text: string) => string,
): Promise<void> {
  const left = await loadAutopilot(path, id);
  if (left === undefined || left.status !== 'running') return;
  const directory = new RunDirectory(path, id, redact);
  const request = await readJson(directory.file('request.json'));
  const cwd = String((request?.['request'] as Record<string, unknown> | undefined)?.['cwd'] ?? process.cwd());
  const jobs = await Promise.all(left.jobs.map(settleJob));
  const finishedAt = new Date();
  const { error } = overall(jobs, false);
  const output: AutopilotOutput = {
    ...left,
    jobs,
    aggregate: aggregate(jobs, cwd),
    timing: {
      ...left.timing,
      finished_at: finishedAt.toISOString(),
      duration_ms: finishedAt.getTime() - Date.parse(left.timing.started_at),
    },
    status: 'failed',
    error: ['the server ended while the autopilot was at work', ...(error === null ? [] : [error])].join(
      '; ',
    ),
  };
  await directory.writeJson('autopilot_aggregate.json', {
    ...output.aggregate,
    status: output.status,
    error: output.error,
    usage: output.usage,
    jobs,
  });
  await directory.writeJson('result.json', resultFile(output));
}

async function settleJob(job: JobResult): Promise<JobResult> {
  if (job.status === 'waiting')
    return { ...job, status: 'skipped', summary: 'Skipped because the server ended.' };
  if (job.status !== 'running') return job;
  const record = await loadRecord(join(job.run_dir), job.run_id);
  if (record === undefined || record.status === 'running')
    return {
      ...job,
      status: 'failed',
      summary: 'It had no result when the server ended.',
      error: 'the server ended',
    };
  return { ...job, ...record, status: record.status };
}
