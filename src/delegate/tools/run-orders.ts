import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import type { Delegation } from '../run/delegation.ts';
import { hasEnd, readStart } from '../run/run-state.ts';
import type { RunAccount } from './run-overview.ts';

/** Sends an order to the agent of a run of this machine, or of the job of an autopilot. */
export async function sendOrder(
  { overview, record, autopilot }: RunAccount,
  job: string | undefined,
  order: RunOrder,
  { hosts }: Delegation,
): Promise<void> {
  const { run_id, run_dir } = record;
  const id = job === undefined ? run_id : `${run_id}/${job}`;
  const jobs = autopilot?.jobs ?? [];
  if (job === undefined && autopilot !== undefined)
    throw new Failure(
      'refused',
      `Run ${run_id} is an autopilot. Name one of its jobs: ${jobs.map((one) => `${run_id}/${one.id}`).join(', ') || 'there are none yet'}.`,
    );
  const state = jobs.find((one) => one.id === job)?.status;
  if (job !== undefined && state === undefined)
    throw new Failure('resource-not-found', `Run ${run_id} has no job ${job}.`);
  if (state === 'waiting')
    throw new Failure('refused', `Job ${id} has not started. It waits for the jobs that it depends on.`);
  const directory = job === undefined ? run_dir : join(run_dir, 'subruns', job);
  if (record.status !== 'running' || hasEnd(directory))
    throw new Failure('refused', `Run ${id} has ended (${record.status}). Continue it with delegate_resume.`);
  if (overview.status === 'waiting')
    throw new Failure('refused', `Run ${id} waits in the queue; its agent has not started.`);
  const start = await readStart(directory);
  if (start !== undefined && start.protocol === undefined)
    throw new Failure(
      'refused',
      `The agent of run ${id} takes no messages while it works: it runs as "${start.agent === 'claude' ? 'claude -p' : 'codex exec'}", as the contract delegate and old versions of the agent require. Use cancel_run and delegate_resume.`,
    );
  await hosts.order(run_dir, id, order);
}
