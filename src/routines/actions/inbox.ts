import type { Context } from '../../context.ts';
import { isOwner } from '../../context.ts';
import type { InboxItem } from '../../inbox.ts';
import type { Routine } from '../definition/routine.ts';
import type { RoutineData } from '../firing/feature-data.ts';

/** Routines that wait for a person: those that a model made, those that were paused, and those whose last run failed. */
export async function listInbox(
  { definitions, firings }: Pick<RoutineData, 'definitions' | 'firings'>,
  { actor }: Context,
): Promise<readonly InboxItem[]> {
  const items: InboxItem[] = [];
  for (const routine of await definitions.visibleTo(actor)) {
    const { id, name, status, pauseReason, updatedMs, task } = routine;
    const item = (title: string, since: number, detail: string | undefined, actions: InboxItem['actions']) =>
      items.push({
        ...{ id: `routine/${id}/${since}`, kind: 'routine', title, since: new Date(since).toISOString() },
        ...(detail !== undefined && { detail }),
        ...(routine.notify !== undefined && !isOwner(actor) && { person: routine.notify }),
        page: `/routines/${id}`,
        actions: actions ?? [],
      });
    if (status === 'unconfirmed')
      item(`Confirm the routine ${name}`, updatedMs, `${whenText(routine)}: ${task.slice(0, 300)}`, [
        { label: 'Confirm', tool: 'update_routine', arguments: { routine: id, paused: false } },
        { label: 'Delete', tool: 'delete_routine', arguments: { routine: id } },
      ]);
    else if (status === 'paused' && routine.isPauseUntold !== undefined)
      item(`The routine ${name} is paused`, updatedMs, pauseReason, [
        { label: 'Resume', tool: 'update_routine', arguments: { routine: id, paused: false } },
      ]);
    else if (status === 'active') {
      const last = (await firings.history(id, 10)).find(
        ({ ended_ms, status: end }) => ended_ms !== null && end !== 'skipped',
      );
      if (last?.status === 'failed')
        item(`The routine ${name} failed`, last.ended_ms!, last.result ?? last.reason ?? undefined, [
          { label: 'Run again', tool: 'run_routine', arguments: { routine: id } },
        ]);
    }
  }
  return items;
}

function whenText({ when }: Routine): string {
  return typeof when === 'string' ? when : JSON.stringify(when);
}
