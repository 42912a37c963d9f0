import type { PendingApproval } from '../agents/protocols/approval.ts';
import type { RunOverview } from './run-overview.ts';
import type { Runs } from './runs.ts';

/** How many of the newest runs are searched for open requests. More cannot be in progress. */
const searchedRuns = 500;

/** What the agents of these runs ask permission for. For a job of an autopilot, `run_id` is that of the job. */
export async function openRequests(
  runs: Runs,
  listed?: readonly RunOverview[],
): Promise<readonly (PendingApproval & { readonly run_id: string })[]> {
  const open = (listed ?? (await runs.list(searchedRuns))).filter(({ status }) => status === 'running');
  const lists = await Promise.all(
    open.map(async ({ run_id }) =>
      ((await runs.show(run_id)).approvals ?? []).map((request) => ({
        ...request,
        run_id: request.run_id ?? run_id,
      })),
    ),
  );
  // A machine that is gone no longer says that a request has expired.
  return lists.flat().filter(({ expires_at }) => Date.now() < Date.parse(expires_at));
}
