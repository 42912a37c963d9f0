import { singleLine } from '../../single-line.ts';
import type { Urgency } from '../../store/schema.ts';
import type { Channel, Message } from './channel.ts';
import { post } from './post.ts';
import { snoozeMinutes } from './telegram.ts';

export interface NtfyOptions {
  readonly server: string;
  readonly token?: string;
}

const priorities: Readonly<Record<Urgency, number>> = { low: 2, normal: 3, high: 4, urgent: 5 };

/** Sends push messages through an ntfy server. A repeated attempt replaces the earlier message. */
export function createNtfyChannel({ server, token }: NtfyOptions): Channel {
  return {
    async deliver(message, signal) {
      const topic = message.recipient.ntfy;
      if (topic === undefined || topic === '')
        return { kind: 'permanent', detail: 'the user has no ntfy topic' };
      const link = message.data['link'];
      const confirmUrl = message.data['acknowledge_url'];
      return post(new URL('/', server).href, {
        signal,
        body: JSON.stringify({
          topic,
          sequence_id: message.id,
          title: singleLine(message.subject),
          message: message.text,
          priority: priorities[message.urgency],
          ...(typeof link === 'string' && link !== '' && { click: link }),
          ...(typeof confirmUrl === 'string' &&
            message.actions && { actions: buttons(confirmUrl, message.actions) }),
        }),
        headers: {
          'content-type': 'application/json; charset=utf-8',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        reference: (answer) => /"id":"([\w-]+)"/.exec(answer)?.[1],
      });
    },
  };
}

/** The app sends these requests itself; the notification disappears when one succeeds. */
function buttons(url: string, { acknowledge, snooze, done }: NonNullable<Message['actions']>) {
  const button = (label: string, target: string) => ({
    action: 'http',
    label,
    url: target,
    method: 'POST',
    clear: true,
  });
  return [button(acknowledge, done ? `${url}?done` : url), button(snooze, `${url}?snooze=${snoozeMinutes}`)];
}
