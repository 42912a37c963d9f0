import { Failure } from '../../failure.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import type { AutopilotOutput, JobResult } from '../autopilot/autopilot-output.ts';
import { answerAction, loadRecord, type RunRecord } from '../run/run-record.ts';
import type { RunAccount } from './run-overview.ts';

/** The job of an autopilot as a run. A job that was skipped counts as cancelled. */
export async function jobAccount({ overview, autopilot }: RunAccount, id: string): Promise<RunAccount> {
  const job = findJob(overview.run_id, autopilot, id);
  const record = await toRecord(job);
  const { run_id, subagent_thread_id, usage, timing, error, summary } = record;
  return {
    overview: {
      ...overview,
      run_id,
      status: job.status === 'waiting' ? 'waiting' : record.status,
      started_at: timing.started_at,
      duration_ms: timing.duration_ms,
      usage,
      subagent_thread_id,
      task: job.title,
      summary,
      error,
    },
    record,
  };
}

async function toRecord(job: JobResult): Promise<RunRecord> {
  const { status } = job;
  if (status !== 'waiting' && status !== 'running')
    return { ...job, status: status === 'skipped' ? 'cancelled' : status };
  const record = await loadRecord(job.run_dir, job.run_id);
  // Its agent may have finished, but its checks have not, and its changes are not applied.
  return { ...(record ?? job), status: 'running' };
}

function findJob(run: string, autopilot: AutopilotOutput | undefined, id: string): JobResult {
  const job = autopilot?.jobs.find((one) => one.id === id);
  if (job !== undefined) return job;
  const ids = autopilot?.jobs.map((one) => `${run}/${one.id}`) ?? [];
  const hint = ids.length === 0 ? '' : ` Its jobs are: ${ids.join(', ')}.`;
  throw new Failure('resource-not-found', `Run ${run} has no job ${id}.${hint}`);
}

/** Adds what the jobs of an autopilot ask permission for. */
export async function withApprovals(
  record: RunRecord,
  autopilot: AutopilotOutput,
): Promise<{
  readonly record: RunRecord;
  readonly autopilot: AutopilotOutput;
}> {
  const running = autopilot.jobs.filter(({ status }) => status === 'running');
  const lists = await Promise.all(
    running.map(async ({ run_dir, run_id, title }): Promise<readonly PendingApproval[]> => {
      const { approvals = [] } = (await loadRecord(run_dir, run_id)) ?? {};
      return approvals.map((request) => ({ ...request, run_id, job: title }));
    }),
  );
  const approvals = lists.flat();
  if (approvals.length === 0) return { record, autopilot };
  const { aggregate } = autopilot;
  const first = approvals.map(answerAction);
  return {
    record: { ...record, approvals, next_actions: [...first, ...record.next_actions] },
    autopilot: {
      ...autopilot,
      aggregate: { ...aggregate, next_actions: [...first, ...aggregate.next_actions] },
    },
  };
}
