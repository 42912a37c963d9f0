import { isObject } from '../../json.ts';
import type { Urgency } from '../../store/schema.ts';
import { decisionLines, defineChannel } from '../sending/channel.ts';

/** The app of Gotify makes a sound from 4 on, and also vibrates from 8 on. */
const priorities: Readonly<Record<Urgency, number>> = { low: 2, normal: 5, high: 8, urgent: 10 };

/** Push messages through a Gotify server. */
export const gotify = defineChannel({
  name: 'gotify',
  rank: 60,
  canBeSilent: true,
  label: 'Gotify',
  words: ['push', 'popup'],
  icon: '⌁',
  help: 'For the app Gotify: create an application on the Gotify server, and use its token as the address.',
  settings: {
    'delivery.gotify_url': {
      type: 'address',
      schemes: ['http', 'https'],
      description:
        'The Gotify server, such as https://gotify.example.com. Without it, messages to Gotify go to the outbox.',
    },
  },
  needs: 'delivery.gotify_url',
  address: {
    noun: 'Gotify application',
    schemes: ['gotify'],
    example: 'gotify://APP_TOKEN',
    sample: 'gotify://A1b2C3d4E5f6G7h',
    secret: true,
    // Tokens of applications have this form. An address with a host belongs to apprise.
    parse: (rest) => (/^A[\w.-]{14}$/.test(rest) ? rest : undefined),
  },
  advice: {
    notConfigured: 'delivery.gotify_url is not set, so no message was sent to Gotify',
    unreachable: 'check delivery.gotify_url; adjutant doctor tests it',
    refused: "check that the user's address is the token of an application on the server, not of a client",
  },
  connect({ 'delivery.gotify_url': server }) {
    if (!server) return undefined;
    return {
      async deliver(message, signal) {
        const { post } = await import('../sending/post.ts');
        const link = message.data['link'];
        return post(endpoint(server, 'message'), {
          signal,
          headers: {
            'content-type': 'application/json; charset=utf-8',
            'x-gotify-key': message.recipient.address,
          },
          body: JSON.stringify({
            title: message.short.title,
            message: [message.short.text, ...decisionLines(message)].join('\n\n'),
            priority: priorities[message.urgency],
            extras: {
              'client::display': { contentType: 'text/plain' },
              ...(typeof link === 'string' &&
                link !== '' && { 'client::notification': { click: { url: link } } }),
            },
          }),
          reference: (answer) => /"id":(\d+)/.exec(answer)?.[1],
        });
      },
    };
  },
  async check({ 'delivery.gotify_url': server }) {
    if (!server) return [];
    const { ask, findingFor } = await import('../sending/probe.ts');
    const answer = await ask(server, new URL(endpoint(server, 'health')).pathname);
    const isOther = !(isObject(answer.body) && 'health' in answer.body);
    const remedies = {
      unreachable: { state: 'bad', remedy: 'check delivery.gotify_url and the network' },
      refused: 'correct the login in delivery.gotify_url',
    } as const;
    const other = isOther && { noun: 'a Gotify server', remedy: 'check delivery.gotify_url' };
    return [findingFor('Gotify', answer, remedies, other)];
  },
});

/** The server may be in a folder of its host. */
function endpoint(server: string, path: string): string {
  return new URL(path, server.endsWith('/') ? server : `${server}/`).href;
}
