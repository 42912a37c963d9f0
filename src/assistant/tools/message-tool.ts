import { Failure } from '../../failure.ts';
import type { Outreach } from '../../outreach.ts';
import { inDigits, localTime, parseTime } from '../../recurrence/written-time.ts';
import { singleLine } from '../../single-line.ts';
import { newId } from '../../store/id.ts';
import type { User } from '../../store/schema.ts';
import { defineTool, hints } from '../../tool.ts';
import type { MeOptions } from '../editing/me.ts';
import { type AssistantData, findUser } from '../entities/entity-access.ts';
import { preferencesOf } from '../entities/preferences.ts';
import { timestamp } from '../entities/view.ts';
import { textsFor } from '../messages/catalog.ts';
import { userId } from './fields.ts';

const text = { type: 'string' } as const;
const prefix = 'message/';
/** Rate limit per person, because a model may call the tool in a loop. */
const maxMessages = 20;
const windowMs = 10 * 60_000;

/** Sends a text to a person by the channels and with the guards of notifications. */
export function messageTool(data: AssistantData, me: MeOptions, outreach: Outreach, timeoutMs: number) {
  return defineTool({
    name: 'send_message',
    toolsets: ['notifications'],
    scope: 'calendar:USER',
    title: 'Send Message',
    description:
      'Sends a text to a person now or later, by the preferred channel, with the name of the sender; use it for "tell Ada that …". In quiet hours it waits until they end, unless quiet_hours says otherwise. Returns text, channel, time and warnings: tell the user. At most 20 in ten minutes.',
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
        when: {
          type: 'string',
          minLength: 1,
          maxLength: 200,
          description: 'When to send it, e.g. friday 12:15. Default: now',
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
      required: ['user_id', 'text', 'channel', 'send_time', 'when'],
      properties: {
        user_id: text,
        text: { type: 'string', description: 'As it is sent' },
        channel: text,
        send_time: text,
        when: { type: 'string', description: 'The time as the person says it' },
        warnings: { type: 'array', items: text, description: 'Why it may not arrive; tell the user' },
      },
    },
    annotations: { ...hints.adds, openWorldHint: true },
    timeoutMs,
    async call({ text: given, when, who, urgency, quiet_hours }, { actor }) {
      const user = await data.store.read((db) => findUser(db, who));
      const nowMs = data.clock();
      const atMs = when === undefined ? undefined : await readTime(when, user, nowMs);
      await demandRate(data, user.id, nowMs);
      const { personOfActor } = await import('../editing/me.ts');
      const sender = await personOfActor(data, me, actor);
      const written =
        sender === undefined || sender.id === user.id
          ? given.trim()
          : textsFor(preferencesOf(user).locale).labelled(singleLine(sender.name, 100), given.trim());
      const [title = '', ...rest] = written.split('\n');
      const body = rest.join('\n').trim() === '' && title.length <= 200 ? {} : { text: written };
      const { channel, dueMs, warnings } = await outreach.send({
        key: `${prefix}${newId(nowMs)}`,
        person: user.id,
        title,
        ...body,
        urgency,
        quietHours: quiet_hours,
        ...(atMs !== undefined && { atMs }),
      });
      return {
        structured: {
          user_id: user.id,
          text: written,
          channel,
          send_time: timestamp(dueMs),
          when: localTime(dueMs, preferencesOf(user).timezone, nowMs),
          ...(warnings.length > 0 && { warnings }),
        },
      };
    },
  });
}

/** The time at which the message is sent, as the recipient's clock shows it. */
async function readTime(when: string, user: User, nowMs: number): Promise<number> {
  const { timezone, locale } = preferencesOf(user);
  const digits = await inDigits(when, timezone, nowMs, locale, 'when');
  const { ms, allDay } = parseTime(digits, timezone, 'when', nowMs);
  if (allDay) {
    const { withoutTime } = await import('../../recurrence/time-words.ts');
    throw withoutTime(when);
  }
  if (ms > nowMs) return ms;
  throw new Failure('invalid-params', `"${when}" is past: ${localTime(ms, timezone, nowMs)}.`);
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
