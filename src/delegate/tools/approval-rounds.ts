import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { approvalForm, toAnswer } from '../run/approval-form.ts';
import type { StartedRun } from '../run/delegation.ts';
import { isOpen, type RunRecord } from '../run/run-record.ts';
import type { Runs } from './runs.ts';

// In revision 2026-07-28 a server cannot send requests. A call returns the agent's request as its result, and the client repeats
// the call with the answer. The key of each question names its run, so that the repeated call finds the run again.

const modernVersion = '2026-07-28';
const pollIntervalMs = 100;
const prefix = 'approval';

/** True if the client answers questions by repeating the call. */
export function asksByResult(context: Context): boolean {
  return context.client.protocolVersion >= modernVersion && context.can('elicitation');
}

/** Passes the answers of a repeated call on to the agent, and returns the id of its run. `undefined` for a first call. */
export async function answeredRun(runs: Runs, context: Context): Promise<string | undefined> {
  const answers = await context.ask({});
  let run: string | undefined;
  for (const [key, response] of Object.entries(answers)) {
    const [kind, runId, approval] = key.split(' ');
    if (kind !== prefix || runId === undefined || approval === undefined) continue;
    run = runId.split('/')[0];
    await passOn(runs, runId, approval, response, context);
  }
  return run;
}

/** Passes the answer in a form on to the agent. An answer that comes too late, or twice, changes nothing. */
export async function passOn(
  runs: Runs,
  runId: string,
  approval: string,
  response: Readonly<Record<string, unknown>>,
  context: Context,
): Promise<void> {
  const answer = toAnswer(response);
  if (answer === undefined) return;
  await runs.answer(runId, approval, answer, context).catch((error: unknown) => {
    if (!(error instanceof Failure) || error.kind === 'resource-not-found') throw error;
  });
}

/** Waits for the end of a run. Returns the questions of the agent to the client as soon as there are any. */
export async function collectOrAsk(
  runs: Runs,
  id: string,
  milliseconds: number,
  context: Context,
  run?: Pick<StartedRun<unknown>, 'detach'>,
): Promise<RunRecord> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const record = await runs.show(id);
    const isOver = !isOpen(record) || performance.now() >= deadline || context.signal.aborted;
    const questions = (record.approvals ?? []).map(
      (request) =>
        [
          `${prefix} ${request.run_id ?? id} ${request.id}`,
          approvalForm(request.run_id ?? id, request),
        ] as const,
    );
    if (isOver || questions.length > 0) run?.detach();
    if (isOver) return record;
    // Throws the questions through this function. Those that were answered, but are still listed, are not asked again.
    if (questions.length > 0) await context.ask(Object.fromEntries(questions));
    await pause(pollIntervalMs);
  }
}
