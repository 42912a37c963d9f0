import type { Context } from '../../context.ts';
import { isOwner } from '../../context.ts';
import type { InboxItem } from '../../inbox.ts';
import type { RoutineData } from '../firing/feature-data.ts';
import { isMissed } from '../firing/firings.ts';
import { describe } from './confirmation.ts';

/** Routines that wait for a person: those that a model made, those that were paused, and those that missed a time or whose last run failed. */
export async function listInbox(
  { definitions, firings }: Pick<RoutineData, 'definitions' | 'firings'>,
  { actor }: Context,
): Promise<readonly InboxItem[]> {
  const items: InboxItem[] = [];
  for (const routine of await definitions.visibleTo(actor)) {
    const { id, name, status, pauseReason, updatedMs } = routine;
    const item = (
      title: string,
      since: number,
      detail: string | undefined,
      actions: InboxItem['actions'],
      runId?: string | null,
    ) =>
      items.push({
        ...{ id: `routine/${id}/${since}`, kind: 'routine', title, since: new Date(since).toISOString() },
        ...(detail !== undefined && { detail }),
        ...(routine.notify !== undefined && !isOwner(actor) && { person: routine.notify }),
        ...(runId && { page: `/#/runs/${runId}` }),
        actions,
      });
    if (status === 'unconfirmed')
      item(`Confirm the routine ${name}`, updatedMs, describe(routine), [
        {
          label: 'Confirm',
          tool: 'update_routine',
          arguments: { routine: id, paused: false, as_of: new Date(updatedMs).toISOString() },
        },
        { label: 'Delete', tool: 'delete_routine', arguments: { routine: id } },
      ]);
    else if (status === 'paused' && routine.isPauseUntold !== undefined)
      item(`The routine ${name} is paused`, updatedMs, pauseReason, [
        { label: 'Resume', tool: 'update_routine', arguments: { routine: id, paused: false } },
      ]);
    else if (status === 'active') {
      const ended = (await firings.history(id, 10)).filter(({ ended_ms }) => ended_ms !== null);
      const [newest] = ended;
      const last = ended.find(({ status: end }) => end !== 'skipped');
      if (newest?.status === 'skipped' && isMissed(newest.reason))
        item(`The routine ${name} did not run`, newest.ended_ms!, newest.reason!, [
          { label: 'Run now', tool: 'run_routine', arguments: { routine: id } },
        ]);
      if (last?.status === 'failed')
        item(
          `The routine ${name} failed`,
          last.ended_ms!,
          last.result ?? last.reason ?? undefined,
          [{ label: 'Run again', tool: 'run_routine', arguments: { routine: id } }],
          last.run_id,
        );
    }
  }
  return items;
}
