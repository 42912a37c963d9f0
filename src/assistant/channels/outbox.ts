import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../json.ts';
import type { Channel as ChannelName } from '../store/schema.ts';
import type { Channel, Message, Outcome } from './channel.ts';
import { composeMail } from './mail.ts';
import { speak } from './speech.ts';

export interface OutboxOptions {
  readonly folder: string;
  readonly from: string;
  /** The program that speaks. */
  readonly speaker?: string;
}

/**
 * A folder instead of a provider: mails as .eml files that mail programs open, calls as spoken .wav files or as text.
 * A file is named for its notification, so an attempt that is repeated leaves one file.
 */
export function createOutboxChannel(name: ChannelName, options: OutboxOptions): Channel {
  const { folder, from, speaker } = options;

  const write = async (message: Message): Promise<Outcome> => {
    const stem = join(folder, encodeURIComponent(message.id));
    if (name === 'email') {
      const mail = await composeMail(message, from);
      if ('refusal' in mail) return { kind: 'permanent', detail: mail.refusal };
      return place(`${stem}.eml`, (file) => disk.writeFile(file, mail.content));
    }
    if (name === 'call') {
      const { phone = '', locale } = message.recipient;
      if (phone === '') return { kind: 'permanent', detail: 'the user has no phone number' };
      if (await speak(message.speech, `${stem}.wav.part`, locale, speaker))
        return place(`${stem}.wav`, async () => undefined);
      return place(`${stem}.txt`, (file) => disk.writeFile(file, `To: ${phone}\n\n${message.speech}\n`));
    }
    const { id, subject, text, urgency, data } = message;
    const document = { to: message.recipient[name] ?? null, id, subject, text, urgency, ...data };
    return place(`${stem}.${name}.json`, (file) =>
      disk.writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`),
    );
  };

  return {
    async deliver(message) {
      try {
        await disk.mkdir(folder, { recursive: true });
        return await write(message);
      } catch (error) {
        return { kind: 'temporary', detail: messageOf(error) };
      }
    },
  };
}

/** Complete or absent: whoever watches the folder never sees half a file. */
async function place(file: string, fill: (part: string) => Promise<unknown>): Promise<Outcome> {
  await fill(`${file}.part`);
  await disk.rename(`${file}.part`, file);
  return { kind: 'accepted', reference: file, detail: `written to ${file}` };
}
