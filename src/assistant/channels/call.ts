import { xml } from '../../message-page.ts';
import { isPhoneNumber } from '../../single-line.ts';
import { providerSettings, requestProvider, signedIn } from '../sending/call-provider.ts';
import { defineChannel, type Message } from '../sending/channel.ts';

/** Calls the user and reads the script aloud, through Twilio or a provider with a compatible API. */
export const call = defineChannel({
  name: 'call',
  rank: 20,
  canBeSilent: false,
  label: 'Phone call',
  words: ['phone', 'telephone', 'ring'],
  icon: '☎',
  help: 'A call that reads the message aloud; the number begins with + and the country code.',
  settings: {
    ...providerSettings,
    'delivery.call_from': { type: 'string', description: 'Caller number in E.164 format.' },
  },
  needs: 'delivery.call_account',
  address: {
    noun: 'phone number',
    schemes: ['tel'],
    example: 'tel:NUMBER',
    sample: 'tel:+4930123456',
    field: { name: 'phone_e164', flag: '--phone', input: 'tel', placeholder: '+4930123456' },
    parse: (rest) => (isPhoneNumber(rest) ? rest : undefined),
  },
  advice: {
    notConfigured: 'delivery.call_account, call_token and call_from are not all set, so no call was made',
    unreachable: 'check delivery.call_url; adjutant doctor tests the provider',
    refused: "check delivery.call_account, call_token and call_from, and the user's phone number",
  },
  connect(config) {
    const from = config['delivery.call_from'];
    if (!config['delivery.call_account'] || !config['delivery.call_token'] || !from) return undefined;
    return {
      async deliver(message, signal) {
        const { address } = message.recipient;
        if (!isPhoneNumber(address))
          return {
            kind: 'permanent',
            detail: `the user's phone number ${JSON.stringify(address)} is not in E.164 form`,
          };
        const body = { To: address, From: from, Twiml: await script(message) };
        return requestProvider(config, 'Calls', body, message.id, signal);
      },
    };
  },
  async toOutbox({ recipient: { address, locale }, speech }, _, save) {
    return (
      (await save('wav', (path) => speak(speech, path, locale))) ??
      save('txt', async (path) => {
        const { writeFile } = await import('node:fs/promises');
        await writeFile(path, `To: ${address}\n\n${speech}\n`, { mode: 0o600 });
      })
    );
  },
  async check(config) {
    const title = 'Calls';
    const parts = ['delivery.call_account', 'delivery.call_token', 'delivery.call_from'] as const;
    const missing = parts.filter((name) => !config[name]);
    if (missing.length === parts.length) return [];
    if (missing.length > 0) {
      const detail = `calls are written to the outbox, because ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} not set`;
      return [{ title, state: 'warning', detail, remedy: `set ${missing.join(' and ')}` }];
    }
    const { ask, findingFor } = await import('../sending/probe.ts');
    const path = `/2010-04-01/Accounts/${encodeURIComponent(config['delivery.call_account']!)}.json`;
    return [
      findingFor(title, await ask(config['delivery.call_url'], path, signedIn(config)), {
        unreachable: { state: 'bad', remedy: 'check delivery.call_url and the network' },
        refused: 'correct delivery.call_account and delivery.call_token',
      }),
    ];
  },
});

/** Inline TwiML. Providers accept at most 4,000 characters, so the spoken text is cut. */
export async function script({ recipient, speech, data }: Message): Promise<string> {
  const acknowledgeUrl = data['acknowledge_url'];
  const voice = recipient.voice === '' ? '' : ` voice="${xml(recipient.voice)}"`;
  const say = (text: string) => `<Say${voice} language="${xml(recipient.locale)}">${xml(text)}</Say>`;
  const body = [...speech].slice(0, 1200).join('');
  if (typeof acknowledgeUrl !== 'string')
    return `<Response>${say(body)}<Pause length="1"/>${say(body)}</Response>`;
  const { textsFor } = await import('../messages/catalog.ts');
  return `<Response><Gather numDigits="1" timeout="8" method="POST" action="${xml(acknowledgeUrl)}">${say(body)}${say(textsFor(recipient.locale).pressOne)}</Gather></Response>`;
}

/** Renders text to a WAV file with espeak-ng. Returns false if the program is missing or fails. */
async function speak(text: string, file: string, locale: string): Promise<boolean> {
  const { runProgram } = await import('../sending/program.ts');
  const run = async (voice: readonly string[]) => {
    const args = [...voice, '-b', '1', '-w', file, '--stdin'];
    return (await runProgram('espeak-ng', args, { input: text, timeout: 20_000 })).code === 0;
  };
  const language = /^[a-z]{2,3}(-[a-z]{2,4})?$/.exec(locale.toLowerCase())?.[0];
  return (language !== undefined && (await run(['-v', language]))) || run([]);
}
