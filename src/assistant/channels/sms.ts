import { isPhoneNumber } from '../../single-line.ts';
import { providerSettings, requestProvider } from '../sending/call-provider.ts';
import { decisionLines, defineChannel, type Message } from '../sending/channel.ts';

/** Ten parts of an SMS. Providers refuse longer texts. */
const maxLength = 1500;

/** Text messages through the provider of calls. */
export const sms = defineChannel({
  name: 'sms',
  rank: 55,
  canBeSilent: false,
  label: 'SMS',
  words: ['text', 'textmessage'],
  icon: '✆',
  help: 'A text message; the number begins with + and the country code.',
  settings: {
    ...providerSettings,
    'delivery.sms_from': {
      type: 'string',
      description:
        'Sender of SMS: a number in E.164 format or a name that the provider knows. Without it, SMS go to the outbox.',
    },
  },
  needs: 'delivery.sms_from',
  address: {
    noun: 'phone number for SMS',
    schemes: ['sms'],
    example: 'sms:NUMBER',
    sample: 'sms:+4930123456',
    sameAs: 'phone_e164',
    parse: (rest) => (isPhoneNumber(rest) ? rest : undefined),
  },
  advice: {
    notConfigured: 'delivery.call_account, call_token and sms_from are not all set, so no SMS was sent',
    unreachable: 'check delivery.call_url; adjutant doctor tests the provider',
    refused: "check delivery.call_account, call_token and sms_from, and the user's phone number",
  },
  connect(config) {
    const from = config['delivery.sms_from'];
    if (!config['delivery.call_account'] || !config['delivery.call_token'] || !from) return undefined;
    return {
      deliver: async (message, signal) =>
        requestProvider(
          config,
          'Messages',
          { To: message.recipient.address, From: from, Body: bodyOf(message) },
          message.id,
          signal,
        ),
    };
  },
});

/** An SMS has no title and no buttons, so the links to confirm and to decide are part of the text. */
function bodyOf(message: Message): string {
  const { short, data } = message;
  const link = data['acknowledge_url'];
  const links = [...(typeof link === 'string' ? [link] : []), ...decisionLines(message)];
  const end = links.map((line) => `\n${line}`).join('');
  const text = `${short.title}\n${short.text}`;
  return `${[...text].slice(0, maxLength - end.length).join('')}${end}`;
}
