import type { Context } from '../../context.ts';
import type { JsonObject } from '../../json.ts';
import type { Tool } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import type { AssistantData } from '../entities/entity-access.ts';

/** They list what was done about an event, which can be deleted. */
const lists = new Set(['explain_notifications', 'list_notifications']);
/** Tools that take an event by its title. In the others, an event only restricts what is listed, and can be gone. */
const byTitle = new Set(['get_event', 'update_event', 'delete_event', 'answer_invitation', ...lists]);

/** Stands for the reminder that was sent last. */
export const lastNotification = 'last';
/** Tools for the answer of a person to a reminder, who means the one that has just arrived. */
const ofLast = new Set(['acknowledge_notification', 'snooze_notification', 'cancel_notification']);

/** Lets callers name an event by its title and a reminder as the last one, so that they need not look for an id first. */
export function acceptTitles<One extends Tool>(tool: One, data: AssistantData, options: MeOptions): One {
  if (!byTitle.has(tool.name) && !ofLast.has(tool.name)) return tool;
  const call = async (given: never, context: Context) => {
    const args = given as JsonObject;
    const { eventNamed, lastSent } = await import('./find-named.ts');
    const ids = byTitle.has(tool.name)
      ? args['event_id'] !== undefined && {
          event_id: await eventNamed(data, options, args, context.actor, lists.has(tool.name)),
        }
      : isLast(args)
        ? { notification_id: await lastSent(data, options, context.actor) }
        : {};
    return tool.call({ ...args, ...ids } as never, context);
  };
  return { ...tool, call };
}

/** People say "less like this" about the reminder that has just arrived. */
function isLast({ notification_id: id, less_like_this: fewer }: JsonObject): boolean {
  return id === lastNotification || (id === undefined && fewer === true);
}
