import { isObject } from '../../json.ts';
import type { Urgency } from '../../store/schema.ts';
import { defineChannel, type Message, snoozeMinutes } from '../sending/channel.ts';

const priorities: Readonly<Record<Urgency, number>> = { low: 2, normal: 3, high: 4, urgent: 5 };

/** Push messages through an ntfy server. A repeated attempt replaces the earlier message. */
export const ntfy = defineChannel({
  name: 'ntfy',
  rank: 40,
  canBeSilent: true,
  label: 'ntfy',
  words: ['push', 'popup'],
  icon: '♪',
  help: 'For the app ntfy, which shows messages on mobile devices: subscribe to a topic that is hard to guess.',
  settings: {
    'delivery.ntfy_url': {
      type: 'address',
      schemes: ['http', 'https'],
      description: 'The ntfy server, such as https://ntfy.sh. Without it, push messages go to the outbox.',
    },
    'delivery.ntfy_token': { type: 'string', description: 'Access token for the ntfy server.' },
  },
  needs: 'delivery.ntfy_url',
  address: {
    noun: 'ntfy topic',
    schemes: ['ntfy'],
    example: 'ntfy://TOPIC',
    sample: 'ntfy://ada-reminders',
    field: { name: 'ntfy_topic', input: 'text', placeholder: '' },
    parse: (rest) => (/^[\w-]{1,64}$/.test(rest) ? rest : undefined),
  },
  advice: {
    notConfigured: 'delivery.ntfy_url is not set, so no push message was sent',
    unreachable: 'check delivery.ntfy_url; adjutant doctor tests it',
    refused: "check the user's topic and delivery.ntfy_token",
  },
  buttonsNeedUrl: true,
  connect({ 'delivery.ntfy_url': server, 'delivery.ntfy_token': token }) {
    if (!server) return undefined;
    return {
      async deliver(message, signal) {
        const { post } = await import('../sending/post.ts');
        const link = message.data['link'];
        const confirmUrl = message.data['acknowledge_url'];
        return post(new URL('/', server).href, {
          signal,
          body: JSON.stringify({
            topic: message.recipient.address,
            sequence_id: message.id,
            title: message.short.title,
            message: message.short.text,
            priority: priorities[message.urgency],
            ...(typeof link === 'string' && link !== '' && { click: link }),
            ...(typeof confirmUrl === 'string' &&
              message.actions && { actions: buttons(confirmUrl, message.actions) }),
            ...(message.decision && {
              actions: [button(message.decision.refuse.label, message.decision.refuse.url)],
            }),
          }),
          headers: {
            'content-type': 'application/json; charset=utf-8',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          reference: (answer) => /"id":"([\w-]+)"/.exec(answer)?.[1],
        });
      },
    };
  },
  async check({ 'delivery.ntfy_url': server, 'delivery.ntfy_token': token }) {
    if (!server) return [];
    const { ask, findingFor } = await import('../sending/probe.ts');
    const health = await ask(server, '/v1/health');
    const healthy = isObject(health.body) && health.body['healthy'] === true;
    const signedIn = { authorization: `Bearer ${token}` };
    const answer = healthy && token ? await ask(server, '/v1/account', signedIn) : health;
    const remedies = {
      unreachable: { state: 'bad', remedy: 'check delivery.ntfy_url and the network' },
      refused: 'correct delivery.ntfy_token',
    } as const;
    const other = !healthy && { noun: 'an ntfy server', remedy: 'check delivery.ntfy_url' };
    return [findingFor('ntfy', answer, remedies, other)];
  },
});

function button(label: string, url: string) {
  return { action: 'http', label, url, method: 'POST', clear: true };
}

/** The app sends these requests itself; the notification disappears when one succeeds. */
function buttons(url: string, { acknowledge, snooze, done }: NonNullable<Message['actions']>) {
  return [
    button(acknowledge, done ? `${url}?done` : url),
    ...(snooze === undefined ? [] : [button(snooze, `${url}?snooze=${snoozeMinutes}`)]),
  ];
}
