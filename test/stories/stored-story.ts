import { expandEvent } from '../../src/assistant/calendar/expand-event.ts';
import { saveEvent } from '../../src/assistant/editing/events.ts';
import {
  acknowledgeNotification,
  cancelNotification,
  snoozeNotification,
} from '../../src/assistant/editing/notifications.ts';
import type { AssistantData } from '../../src/assistant/entities/entity-access.ts';
import { setRule } from '../../src/assistant/entities/rules.ts';
import { planNotifications } from '../../src/assistant/planning/planning.ts';
import type { Model } from '../../src/assistant/policy/policy.ts';
import { Failure } from '../../src/failure.ts';
import type { Store } from '../../src/store/store.ts';
import { afterMinutesOf, brokenGuards, eventFields, type Story } from './guards.ts';

/** Replays a story on a real store with the functions that the tools use. Returns the broken guarantees. */
export async function replayStored(store: Store, story: Story, number: number): Promise<string[]> {
  let nowMs = story.nowMs;
  let startMs = nowMs + story.leadMs;
  const data: AssistantData = { store, clock: () => nowMs, occurrences: expandEvent };
  const id = `u${number}`;
  const user = { ...story.user, id, email: story.user.email && `${id}@example.com` };
  await store.write(({ db }) => db.insertInto('users').values(user).execute());
  if (story.vip) {
    const config = { organizers: ['boss@example.com'] };
    await setRule(data, id, undefined, { type: 'vip_organizer', config, priority: 0, enabled: true });
  }
  const broken: string[] = [];
  let place: string | undefined;
  for (const [index, turn] of story.turns.entries()) {
    const { passes, moves, becomes, cancels, force, answer } = turn;
    place = turn.place ?? place;
    nowMs += index === 0 ? 0 : passes;
    if (moves !== undefined) startMs += moves;
    await store.write(({ db }) =>
      db
        .updateTable('notifications')
        .set({ status: becomes })
        .where('user_id', '=', id)
        .where('status', '=', 'planned')
        .where('plan_ms', '<=', nowMs)
        .execute(),
    );
    const rowsNow = () =>
      store.read((db) => db.selectFrom('notifications').selectAll().where('user_id', '=', id).execute());
    const [sent] = (await rowsNow()).filter(({ status, change }) => status === 'sent' && change === null);
    if (turn.acknowledges && sent !== undefined) await acknowledgeNotification(data, sent.id, 'test');
    if (turn.snoozes !== undefined && sent !== undefined)
      await snoozeNotification(data, sent.id, { minutes: turn.snoozes }, 'test').catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error;
      });
    const waiting = (await rowsNow()).find(({ status }) => status === 'planned');
    if (cancels && waiting !== undefined) await cancelNotification(data, waiting.id);
    await store.write((writer) =>
      saveEvent(
        writer,
        data,
        user,
        eventFields({ ...story, user: { ...story.user, email: user.email } }, startMs, place),
        nowMs,
        `e${number}`,
      ),
    );
    const rows = await rowsNow();
    const future = new Set(rows.filter((row) => row.plan_ms > nowMs).map((row) => row.id));
    broken.push(
      ...brokenGuards(
        rows,
        future,
        user,
        story.vip && story.organizer === 'boss@example.com',
        startMs,
        nowMs,
        afterMinutesOf(story),
      ),
    );
    const model: Model = {
      name: 'endpoint',
      identity: String(index),
      ask: async (questions) => questions.map(() => ({ text: answer })),
    };
    const request = { userId: id, force, dryRun: false };
    await planNotifications(data, model, request, new AbortController().signal);
    const after = await rowsNow();
    const planned = new Set(after.filter((row) => row.plan_ms > nowMs).map((row) => row.id));
    broken.push(
      ...brokenGuards(
        after,
        planned,
        user,
        story.vip && story.organizer === 'boss@example.com',
        startMs,
        nowMs,
        afterMinutesOf(story),
      ),
    );
    const again = await planNotifications(
      data,
      model,
      { ...request, force: false },
      new AbortController().signal,
    );
    const steps = again.planned.flatMap((one) => one.steps).filter(({ action }) => action !== 'keep');
    const provisional = again.planned.some(({ decision }) => decision?.provisional);
    if (steps.length > 0 && !provisional) broken.push(`replanned without a reason: ${steps[0]!.action}`);
  }
  await store.write(({ db }) => db.deleteFrom('users').where('id', '=', id).execute());
  return broken;
}
