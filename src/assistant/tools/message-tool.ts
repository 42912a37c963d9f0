import { Failure } from '../../failure.ts';
import type { Outreach } from '../../outreach.ts';
import { localTime } from '../../recurrence/written-time.ts';
import { newId } from '../../store/id.ts';
import { defineTool, hints } from '../../tool.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { userId } from './fields.ts';

const text = { type: 'string' } as const;
const prefix = 'message/';
/** Rate limit per person, because a model may call the tool in a loop. */
const maxMessages = 20;
const windowMs = 10 * 60_000;

/** Sends a text to a person by the channels and with the guards of notifications. */
export function messageTool(data: AssistantData, outreach: Outreach, timeoutMs: number) {
  return defineTool({
    name: 'send_message',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'Send Message',
    description:
      'Sends a text to a person now, by the channel that the person prefers; use it for "tell Ada that …". In quiet hours it waits until they end, unless quiet_hours says otherwise. Returns the channel, the time, and warnings to tell the user. At most 20 in ten minutes.',
    phrases:
      'send message tell inform notify let know text write ping person somebody now at once pass on news say mail',
    inputSchema: {
      type: 'object',
      required: ['text'],
      properties: {
        text: {
          type: 'string',
          minLength: 1,
          maxLength: 4000,
          pattern: '\\S',
          description: 'The first line is the subject, which lock screens show',
        },
        who: { ...userId, description: 'Id, name or mail address' },
        urgency: {
          enum: ['silent', 'normal', 'important'],
          default: 'normal',
          description: 'important: by every channel in turn, also by phone, until it is confirmed',
        },
        quiet_hours: {
          enum: ['delay', 'silent', 'ignore'],
          default: 'delay',
          description: 'What to do in quiet hours',
        },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['user_id', 'channel', 'send_time', 'when'],
      properties: {
        user_id: text,
        channel: text,
        send_time: text,
        when: { type: 'string', description: 'The time as the person says it' },
        warnings: { type: 'array', items: text, description: 'Why it may not arrive; tell the user' },
      },
    },
    annotations: { ...hints.adds, openWorldHint: true },
    timeoutMs,
    async call({ text: written, who, urgency, quiet_hours }) {
      const user = await data.store.read((db) => findUser(db, who));
      const nowMs = data.clock();
      await demandRate(data, user.id, nowMs);
      const [title = '', ...rest] = written.trim().split('\n');
      const body = rest.join('\n').trim() === '' && title.length <= 200 ? {} : { text: written.trim() };
      const { channel, dueMs, warnings } = await outreach.send({
        key: `${prefix}${newId(nowMs)}`,
        person: user.id,
        title,
        ...body,
        urgency,
        quietHours: quiet_hours,
      });
      return {
        structured: {
          user_id: user.id,
          channel,
          send_time: timestamp(dueMs),
          when: localTime(dueMs, preferencesOf(user).timezone, nowMs),
          ...(warnings.length > 0 && { warnings }),
        },
      };
    },
  });
}

async function demandRate({ store }: AssistantData, id: string, nowMs: number): Promise<void> {
  const sent = await store.read((db) =>
    db
      .selectFrom('notifications')
      .select('id')
      .where('user_id', '=', id)
      .where('about', 'like', `${prefix}%`)
      .where('created_ms', '>', nowMs - windowMs)
      .limit(maxMessages)
      .execute(),
  );
  if (sent.length >= maxMessages)
    throw new Failure(
      'refused',
      `${id} received ${maxMessages} messages within ten minutes. Try again later.`,
    );
}
