import type { Context } from '../../context.ts';
import { Denied, Failure } from '../../failure.ts';
import type { Routine } from '../definition/routine.ts';
import { readInput } from '../definition/routine-input.ts';
import type { RoutineInput } from '../definition/routine-schema.ts';
import { routineView } from '../definition/routine-view.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { withdrawPause } from '../firing/news.ts';
import { isConfirmed } from './confirmation.ts';
import { hookOf } from './create.ts';
import { warningsFor } from './problems.ts';

/** What `update_routine` receives. */
type Change = RoutineInput & {
  readonly routine: string;
  readonly paused?: boolean;
  readonly as_of?: string;
  readonly new_secret?: boolean;
};

export async function updateRoutine(
  data: RoutineData,
  { routine: written, paused, as_of, new_secret = false, ...input }: Change,
  context: Context,
) {
  await data.refuseSubagents(context);
  const { definitions, clock, firings } = data;
  const before = await definitions.demand(written, context.actor);
  if (as_of !== undefined && Date.parse(as_of) !== before.updatedMs) throw changedMeanwhile(before);
  refuseOtherMachine(before, input, data);
  const hasFields = Object.keys(input).length > 0;
  const given = hasFields ? await readInput(input, before, context, data) : {};
  if (new_secret && (given.trigger ?? before.trigger).kind !== 'webhook')
    throw new Failure('invalid-params', `No webhook triggers "${before.name}", so it has no secret.`);
  const nowMs = Math.max(clock(), before.updatedMs + 1);
  const isWider = hasFields || new_secret || paused === false;
  const needsPerson = isWider && !(await isConfirmed({ ...before, ...given }, context));
  if (needsPerson && new_secret)
    throw new Denied(
      'refused',
      `Only a person may replace the secret of "${before.name}", with: adjutant routines update ${JSON.stringify(before.name)} --new-secret`,
    );
  if (needsPerson && !hasFields)
    throw new Denied(
      'refused',
      `Only a person may resume "${before.name}": in the inbox, on the page, or with: adjutant routines resume.`,
    );
  const status = statusAfter(before, paused, needsPerson);
  const isResumed = status === 'active' && before.status !== 'active';
  const changed = await definitions.change(before.id, ({ updatedMs }) => {
    // A person confirms what they were shown, and nothing else.
    if (updatedMs !== before.updatedMs) throw changedMeanwhile(before);
    return {
      ...given,
      status,
      ...(isResumed && { sinceMs: nowMs }),
      ...(status !== 'paused' && { pauseReason: undefined, isPauseUntold: undefined, pausedMs: undefined }),
      ...(status === 'paused' && paused && { pauseReason: `${context.actor.name} paused it.` }),
      updatedMs: nowMs,
    } as Partial<Routine>;
  });
  if (changed === undefined)
    throw new Failure('conflict', `The routine "${before.name}" was deleted meanwhile.`);
  if (changed.status !== 'active') await firings.skipDue(before.id, 'the routine was paused');
  if (changed.isPauseUntold === undefined) await withdrawPause(before, data);
  data.loop.wake();
  const isHook = changed.trigger.kind === 'webhook' && (new_secret || before.trigger.kind !== 'webhook');
  return {
    structured: {
      routine: routineView(changed, nowMs, undefined, 3),
      ...(isHook && { webhook: await hookOf(changed, data) }),
      warnings: await warningsFor(changed, data),
    },
  };
}

function changedMeanwhile({ name }: Routine): Failure {
  return new Failure('conflict', `The routine "${name}" was changed meanwhile. Look at it again.`);
}

function statusAfter(
  { status }: Routine,
  paused: boolean | undefined,
  needsPerson: boolean,
): Routine['status'] {
  // Resuming a routine must never confirm a change that nobody has seen.
  if (needsPerson || (paused === true && status === 'unconfirmed')) return 'unconfirmed';
  if (paused === true) return 'paused';
  if (paused === false) return 'active';
  return status;
}

/** Folders and agents can only be checked on the machine that has them. */
function refuseOtherMachine({ machine, host, name }: Routine, input: object, data: RoutineData): void {
  if (machine !== data.machine && ('cwd' in input || 'agent' in input))
    throw new Failure(
      'refused',
      `The routine "${name}" belongs to ${host}. Change its folder or agent there.`,
    );
}

export async function deleteRoutine(data: RoutineData, written: string, context: Context) {
  await data.refuseSubagents(context);
  const routine = await data.definitions.demand(written, context.actor);
  await data.definitions.remove(routine.id);
  await data.firings.remove(routine.id);
  await data.secrets.remove(routine.id);
  await withdrawPause(routine, data);
  return { structured: { deleted: routine.name } };
}
