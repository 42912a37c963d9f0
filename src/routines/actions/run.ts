import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import { newId } from '../../store/id.ts';
import { dayMs, type Routine } from '../definition/routine.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { composeTask, type TaskFiring } from '../firing/task-text.ts';

export async function runRoutine(
  data: RoutineData,
  { routine: written, dry_run }: { readonly routine: string; readonly dry_run: boolean },
  context: Context,
) {
  await data.refuseSubagents(context);
  const { definitions, firings, clock, machine, loop, expandText } = data;
  const routine = await definitions.demand(written, context.actor);
  const nowMs = clock();
  if (dry_run) {
    const firing = await sampleFiring(routine, context.actor, data);
    const task = await composeTask(routine, firing, expandText, context, nowMs);
    const { name, sandbox, cwd, notify } = routine;
    return { structured: { routine: name, task, sandbox, cwd, ...(notify !== undefined && { notify }) } };
  }
  if (routine.status === 'unconfirmed')
    throw new Failure('refused', `The routine "${routine.name}" waits until a person confirms it.`);
  const key = `manual/${newId(nowMs)}`;
  await firings.add([
    { routineId: routine.id, machine: routine.machine, key, dueMs: nowMs, source: 'manual' },
  ]);
  const find = async () => (await firings.history(routine.id, 50)).find(({ due_key }) => due_key === key);
  const added = await find();
  // Another machine has the folder, and starts the run.
  if (added !== undefined && routine.machine === machine) {
    loop.fire(routine, added);
    await loop.idle();
  }
  const { status, run_id, reason } = (await find()) ?? { status: 'due', run_id: null, reason: null };
  const waits = routine.machine === machine ? reason : `It waits for ${routine.host}.`;
  return {
    structured: {
      ...{ routine: routine.name, status },
      ...(run_id !== null && { run_id }),
      ...(waits !== null && { reason: waits }),
    },
  };
}

/** A firing with the data of the next event that matches, or with a placeholder for the data of a request. */
async function sampleFiring(
  { trigger, id }: Routine,
  actor: Parameters<RoutineData['findEvents']>[2],
  { clock, findEvents }: RoutineData,
): Promise<TaskFiring> {
  const due_ms = clock();
  if (trigger.kind === 'webhook')
    return { id, due_ms, source: 'webhook', input: '(the body of the request)' };
  if (trigger.kind !== 'event') return { id, due_ms, source: 'clock', input: null };
  const edge = trigger.edge === 'before' ? 'start' : 'end';
  const [next] = await findEvents(trigger.match, { edge, fromMs: due_ms, toMs: due_ms + 60 * dayMs }, actor);
  const facts = next?.facts ?? { title: '(no event of the next 60 days matches)' };
  return { id, due_ms, source: 'event', input: JSON.stringify(facts) };
}
