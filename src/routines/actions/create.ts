import type { Context } from '../../context.ts';
import { publicAddress } from '../../public-address.ts';
import { newId } from '../../store/id.ts';
import type { Routine } from '../definition/routine.ts';
import { creatorOf, readInput } from '../definition/routine-input.ts';
import type { RoutineInput } from '../definition/routine-schema.ts';
import { routineView } from '../definition/routine-view.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { isConfirmed } from './confirmation.ts';
import { warningsFor } from './problems.ts';

export async function createRoutine(data: RoutineData, input: RoutineInput, context: Context) {
  await data.refuseSubagents(context);
  const creator = creatorOf(context);
  const given = await readInput(input, undefined, context, data);
  const { clock, machine, host, settings } = data;
  const nowMs = clock();
  const drafted: Omit<Routine, 'status'> = {
    ...{ apply: 'ask', missed: 'once', overlap: 'skip', catchUpHours: settings.catchUpHours },
    ...(given as Pick<Routine, 'name' | 'task' | 'cwd' | 'when' | 'trigger' | 'zone' | 'sandbox'>),
    ...{ id: newId(nowMs), machine, host, creator, sinceMs: nowMs, createdMs: nowMs, updatedMs: nowMs },
  };
  const status = (await isConfirmed(drafted, context)) ? 'active' : 'unconfirmed';
  const routine: Routine = { ...drafted, status };
  await data.definitions.add(routine);
  const webhook = routine.trigger.kind === 'webhook' ? await hookOf(routine, data) : undefined;
  return {
    structured: {
      routine: routineView(routine, nowMs, undefined, 3),
      ...(webhook && { webhook }),
      warnings: await warningsFor(routine, data),
    },
  };
}

export async function hookOf({ id }: Pick<Routine, 'id'>, { secrets, publicUrl }: RoutineData) {
  const path = `/hooks/${id}`;
  return {
    path,
    ...(publicUrl !== undefined && { url: publicAddress(publicUrl, path) }),
    secret: await secrets.create(id),
  };
}
