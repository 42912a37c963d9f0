import { xml } from '../../message-page.ts';
import { isPhoneNumber } from '../../single-line.ts';
import { textsFor } from '../messages/catalog.ts';
import type { Channel, Message } from './channel.ts';
import { post } from './post.ts';

export interface CallOptions {
  /** Base URL of Twilio or of a provider with a Twilio-compatible API. */
  readonly url: string;
  readonly account: string;
  readonly token: string;
  readonly from: string;
  /** URL that receives the key the person presses. */
  readonly acknowledgeUrl?: (id: string) => Promise<string>;
}

/** Calls the user and reads the script aloud, through Twilio or a provider with a compatible API. */
export function createCallChannel(options: CallOptions): Channel {
  const { account, token, from } = options;
  const calls = new URL(`/2010-04-01/Accounts/${encodeURIComponent(account)}/Calls.json`, options.url).href;
  return {
    async deliver(message, signal) {
      const { phone } = message.recipient;
      if (phone === undefined || phone === '')
        return { kind: 'permanent', detail: 'the user has no phone number' };
      if (!isPhoneNumber(phone))
        return {
          kind: 'permanent',
          detail: `the user's phone number ${JSON.stringify(phone)} is not in E.164 form`,
        };
      return post(calls, {
        signal,
        headers: {
          authorization: `Basic ${Buffer.from(`${account}:${token}`).toString('base64')}`,
          'idempotency-key': message.id,
        },
        body: new URLSearchParams({
          To: phone,
          From: from,
          Twiml: script(message, await options.acknowledgeUrl?.(message.id)),
        }),
        reference: (answer) => /"sid"\s*:\s*"(\w+)"/.exec(answer)?.[1],
      });
    },
  };
}

/** Inline TwiML. Providers accept at most 4,000 characters, so the spoken text is cut. */
export function script({ recipient, speech }: Message, acknowledgeUrl: string | undefined): string {
  const voice = recipient.voice === '' ? '' : ` voice="${xml(recipient.voice)}"`;
  const say = (text: string) => `<Say${voice} language="${xml(recipient.locale)}">${xml(text)}</Say>`;
  const body = [...speech].slice(0, 1200).join('');
  if (acknowledgeUrl === undefined) return `<Response>${say(body)}<Pause length="1"/>${say(body)}</Response>`;
  return `<Response><Gather numDigits="1" timeout="8" method="POST" action="${xml(acknowledgeUrl)}">${say(body)}${say(textsFor(recipient.locale).pressOne)}</Gather></Response>`;
}
