import { Failure } from '../../failure.ts';
import type { User } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import { type AssistantData, findNotification, findUser, rowOf } from '../entities/entity-access.ts';
import { parsePayload } from '../entities/payload.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { textsFor } from '../messages/catalog.ts';
import type { DesiredNotification } from '../planning/plan-rows.ts';
import { previewFields } from './fields.ts';

const text = { type: 'string' } as const;

/** Shows messages word for word before or after they are sent. */
export function previewTool(data: AssistantData, timeoutMs: number, me?: MeOptions) {
  return defineTool({
    name: 'preview_messages',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'Preview Messages',
    description:
      'Shows the text of a notification, of what moving or deleting an event would send, or of a daily agenda.',
    searchHint: 'text of reminder digest agenda change notice',
    phrases:
      'preview show text wording of a reminder message mail exactly what does it say read agenda digest before change who will be notified if moved word for word',
    inputSchema: { type: 'object', properties: previewFields, additionalProperties: false },
    outputSchema: {
      type: 'object',
      required: ['messages'],
      properties: {
        messages: {
          type: 'array',
          items: {
            type: 'object',
            required: ['subject', 'text'],
            properties: { channel: text, plan_time: text, subject: text, text },
          },
        },
        none_because: { type: 'string', description: 'Why there is no message' },
      },
    },
    annotations: hints.reads,
    timeoutMs,
    async call({ notification_id, event_id, user_id, day, ...change }, { actor }) {
      if (notification_id !== undefined) return { structured: await notificationText(data, notification_id) };
      if (event_id !== undefined) {
        const { previewChange } = await import('../planning/change-notice.ts');
        const { user, notices: planned } = await previewChange(data, event_id, change);
        const own = me && (await (await import('../editing/me.ts')).personOfActor(data, me, actor));
        if (planned.length > 0 && own?.id === user.id)
          return { structured: { messages: [], none_because: 'It is your own change, which you know.' } };
        const notices = planned.map((notice) => ({ channel: notice.channel, ...asSent(notice, user) }));
        const reason = 'No reminder of it was sent, and none is due within a day.';
        return { structured: { messages: notices, ...(notices.length === 0 && { none_because: reason }) } };
      }
      if (user_id === undefined)
        throw new Failure('invalid-params', 'Name a notification_id, an event_id or a user_id.');
      const { previewDigest } = await import('../planning/digest.ts');
      const user = await data.store.read((db) => findUser(db, user_id));
      const digest = await previewDigest(data, user, day);
      const none = { none_because: 'Nothing is on this day, so there is no agenda.' };
      return {
        structured: { messages: digest === undefined ? [] : [asSent(digest, user)], ...(!digest && none) },
      };
    },
  });
}

async function notificationText(data: AssistantData, id: string) {
  const { writeMessage } = await import('../delivery/message.ts');
  const { row, user, event } = await data.store.read(async (db) => {
    const found = await findNotification(db, id);
    const user = await findUser(db, found.user_id);
    return { row: found, user, event: await rowOf(db, 'events', found.event_id) };
  });
  const message = writeMessage(row, user, event, { late: false, nowMs: data.clock() });
  const { channel, plan_ms } = row;
  const spoken = channel === 'call' ? message.speech : message.text;
  return {
    messages: [{ channel, plan_time: timestamp(plan_ms), subject: message.subject, text: spoken }],
  };
}

/** The text of a message that is not stored, as it would be sent. */
function asSent({ planMs, payload }: Pick<DesiredNotification, 'planMs' | 'payload'>, user: User) {
  const { subject, text: body, why } = parsePayload(payload);
  const texts = textsFor(preferencesOf(user).locale);
  const reason = why === undefined ? [] : [texts.labelled(texts.why, why)];
  return { plan_time: timestamp(planMs), subject, text: `${[body.trimEnd(), ...reason].join('\n\n')}\n` };
}
