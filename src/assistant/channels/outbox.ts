import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../json.ts';
import { storageReason } from '../../storage-error.ts';
import type { Channel as ChannelName } from '../../store/schema.ts';
import type { Channel, Message, Outcome } from './channel.ts';
import { maskAddress } from './channel-address.ts';
import { composeMail } from './mail.ts';
import { speak } from './speech.ts';

export interface OutboxOptions {
  readonly folder: string;
  readonly from: string;
  /** Text-to-speech program. */
  readonly speaker?: string;
}

/**
 * Writes messages to a folder instead of sending them: emails as .eml files, calls as .wav files or as text.
 * Each file is named after its notification, so a repeated attempt overwrites the file.
 */
const privately = { mode: 0o600 };

export function createOutboxChannel(name: ChannelName, options: OutboxOptions): Channel {
  const { folder, from, speaker } = options;

  const write = async (message: Message): Promise<Outcome> => {
    const stem = join(folder, encodeURIComponent(message.id));
    if (name === 'email') {
      const mail = await composeMail(message, from);
      if ('refusal' in mail) return { kind: 'permanent', detail: mail.refusal };
      return writeAtomically(`${stem}.eml`, (file) => disk.writeFile(file, mail.content, privately));
    }
    if (name === 'call') {
      const { phone = '', locale } = message.recipient;
      if (phone === '') return { kind: 'permanent', detail: 'the user has no phone number' };
      if (await speak(message.speech, `${stem}.wav.part`, locale, speaker))
        return writeAtomically(`${stem}.wav`, async () => undefined);
      return writeAtomically(`${stem}.txt`, (file) =>
        disk.writeFile(file, `To: ${phone}\n\n${message.speech}\n`, privately),
      );
    }
    const { id, subject, text, urgency, data } = message;
    const to = message.recipient[name] ?? null;
    const document = {
      to: typeof to === 'string' || to === null ? to : to.map(maskAddress),
      id,
      subject,
      text,
      urgency,
      ...data,
    };
    return writeAtomically(`${stem}.${name}.json`, (file) =>
      disk.writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`, privately),
    );
  };

  return {
    async deliver(message) {
      try {
        await disk.mkdir(folder, { recursive: true, mode: 0o700 });
        return await write(message);
      } catch (error) {
        const reason = storageReason(error, folder);
        return { kind: 'temporary', detail: reason ? `${folder}: ${reason}` : messageOf(error) };
      }
    },
  };
}

/** Writes to a temporary name and renames, so that readers of the folder never see a partial file. */
async function writeAtomically(file: string, fill: (part: string) => Promise<unknown>): Promise<Outcome> {
  await fill(`${file}.part`);
  await disk.rename(`${file}.part`, file);
  return { kind: 'accepted', reference: file, detail: `written to ${file}` };
}
