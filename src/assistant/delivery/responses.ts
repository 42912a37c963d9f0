import type { Responses } from '../channels/acknowledge.ts';
import type { AssistantData } from '../entities/entity-access.ts';

/** The answers of people, from links, key presses and buttons. */
export function createResponses(data: AssistantData): Responses {
  return {
    async acknowledge(id, by) {
      const { acknowledgeNotification } = await import('../editing/notifications.ts');
      return acknowledgeNotification(data, id, by);
    },
    async snooze(id, minutes, by) {
      const { snoozeNotification } = await import('../editing/snooze.ts');
      return snoozeNotification(data, id, { minutes }, by);
    },
    async fewer(id) {
      const { preferFewer } = await import('../editing/fewer-reminders.ts');
      return preferFewer(data, id);
    },
  };
}
