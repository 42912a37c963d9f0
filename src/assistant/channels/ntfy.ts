import { singleLine } from '../../single-line.ts';
import type { Urgency } from '../store/schema.ts';
import type { Channel } from './channel.ts';
import { post } from './post.ts';

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
      return post(new URL('/', server).href, {
        signal,
        body: JSON.stringify({
          topic,
          sequence_id: message.id,
          title: singleLine(message.subject),
          message: message.text,
          priority: priorities[message.urgency],
          ...(typeof link === 'string' && link !== '' && { click: link }),
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
