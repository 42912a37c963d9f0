import { log } from '../../log.ts';
import type { Calendars } from '../calendar/sync.ts';
import type { Responses } from '../channels/acknowledge.ts';
import { preferencesOf } from '../entities/preferences.ts';

/** The answers of people, from links, key presses and buttons. */
export function createResponses(calendars: Calendars): Responses {
  const { data } = calendars;
  return {
    async acknowledge(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      return acknowledgeNotification(data, id, by);
    },
    async done(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      const row = await acknowledgeNotification(data, id, by);
      const { completeTask } = await import('../writeback/task.ts');
      // The person's answer is recorded. A server that cannot be reached gets it with the next sync.
      await completeTask(calendars, row).catch((error: unknown) =>
        log('warning', 'a task that is done could not be written to its calendar', error),
      );
      return row;
    },
    async snooze(id, minutes, by) {
      const { snoozeNotification } = await import('../editing/snooze.ts');
      return snoozeNotification(data, id, { minutes }, by);
    },
    async fewer(id) {
      const { preferFewer } = await import('../editing/fewer-reminders.ts');
      return preferFewer(data, id);
    },
    async locale(id) {
      const user = await data.store.read((db) =>
        db
          .selectFrom('users')
          .innerJoin('notifications', 'notifications.user_id', 'users.id')
          .selectAll('users')
          .where('notifications.id', '=', id)
          .executeTakeFirst(),
      );
      return user && preferencesOf(user).locale;
    },
  };
}
