import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { present } from '../../json.ts';
import { newId } from '../../store/id.ts';
import { actorOf, dayMs, type Routine, revoked } from '../definition/routine.ts';
import { overBudget } from '../firing/day-budget.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { contextOf } from '../firing/run-port.ts';
import { composeTask } from '../firing/task-text.ts';

export async function runRoutine(
  data: RoutineData,
  { routine: written, dry_run }: { readonly routine: string; readonly dry_run: boolean },
  context: Context,
) {
  await data.refuseSubagents(context);
  const { definitions, firings, clock, machine, loop, expandText } = data;
  const routine = await definitions.demand(written, context.actor);
  const nowMs = clock();
  const creator = data.present(routine.creator);
  if (creator === undefined) throw new Failure('refused', `"${routine.name}" does not run: ${revoked}`);
  // Also by hand, the routine sees what its creator may see, and not what the caller may.
  const actor = actorOf(routine, creator);
  if (dry_run) {
    const firing = { id: routine.id, due_ms: nowMs, input: await sampleInput(routine, actor, data) };
    const task = await composeTask(routine, firing, expandText, contextOf(actor, routine), nowMs);
    const { name, sandbox, cwd, notify } = routine;
    return { structured: { routine: name, task, sandbox, cwd, ...(notify !== undefined && { notify }) } };
  }
  if (routine.status === 'unconfirmed')
    throw new Failure('refused', `The routine "${routine.name}" waits until a person confirms it.`);
  const reached = await overBudget(routine, data);
  if (reached !== undefined) throw new Failure('refused', `"${routine.name}" does not run: ${reached}.`);
  // Without a worker, nobody else notices that the last run has ended.
  await loop.settle();
  const isBusy = (await firings.openOf(routine.id)).some(({ status }) => status !== 'due');
  if (isBusy && routine.overlap === 'skip')
    throw new Failure('refused', `"${routine.name}" does not run: its last run is still in progress.`);
  const key = `manual/${newId(nowMs)}`;
  await firings.add([
    {
      ...{ routineId: routine.id, machine: routine.machine, key, dueMs: nowMs, source: 'manual' },
      ...(routine.trigger.kind === 'event' && present({ input: await sampleInput(routine, actor, data) })),
    },
  ]);
  const added = await firings.find(routine.id, key);
  // Another machine has the folder, and starts the run.
  if (added !== undefined && routine.machine === machine && !isBusy) {
    loop.fire(routine, added);
    await loop.idle();
  }
  const { status, run_id, reason } = (await firings.find(routine.id, key)) ?? {
    status: 'due',
    run_id: null,
    reason: null,
  };
  const waits =
    routine.machine !== machine
      ? `It waits for ${routine.host}.`
      : isBusy
        ? 'It waits for the end of the last run.'
        : reason;
  return {
    structured: {
      ...{ routine: routine.name, status },
      ...(run_id !== null && { run_id }),
      ...(waits !== null && { reason: waits }),
    },
  };
}

/** The data of the next event that matches, or a placeholder for the data of a request. */
async function sampleInput(
  { trigger }: Routine,
  actor: Parameters<RoutineData['findEvents']>[2],
  { clock, findEvents }: RoutineData,
): Promise<string | null> {
  if (trigger.kind === 'webhook') return '(the body of the request)';
  if (trigger.kind !== 'event') return null;
  const edge = trigger.edge === 'before' ? 'start' : 'end';
  const [next] = await findEvents(
    trigger.match,
    { edge, fromMs: clock(), toMs: clock() + 60 * dayMs },
    actor,
  );
  return JSON.stringify(next?.facts ?? { title: '(no event of the next 60 days matches)' });
}
