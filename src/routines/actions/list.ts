import type { Context } from '../../context.ts';
import { type PageRequest, pageOf } from '../../paging.ts';
import { firingView, routineView } from '../definition/routine-view.ts';
import type { RoutineData } from '../firing/feature-data.ts';

/** Firings that can be paged through. */
const maxHistory = 1000;

export async function listRoutines(
  data: RoutineData,
  { routine: written, limit, cursor }: PageRequest & { readonly routine?: string | undefined },
  { actor }: Context,
) {
  const { definitions, firings, clock } = data;
  // Without a worker, nobody else notices that a run ended.
  await data.loop.settle();
  const nowMs = clock();
  if (written === undefined) {
    const visible = await definitions.visibleTo(actor);
    const views = await Promise.all(
      visible.map(async (routine) => routineView(routine, nowMs, (await firings.history(routine.id, 1))[0])),
    );
    const { items, next } = pageOf(views, (view) => view, { limit, cursor });
    return { structured: { routines: items, ...next } };
  }
  const routine = await definitions.demand(written, actor);
  const found = await firings.history(routine.id, maxHistory);
  const { items, next } = pageOf(found, firingView, { limit: limit ?? 20, cursor });
  return {
    structured: { routines: [routineView(routine, nowMs, found[0], 3)], firings: items, ...next },
  };
}
