import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../json.ts';
import { storageReason } from '../../storage-error.ts';
import { type ChannelConfig, channels } from '../entities/channels.ts';
import type { ChannelDefinition, Message, Outcome, SaveFile, Sender, Senders } from '../sending/channel.ts';

/** Creates the sender of every channel; a channel without a configured provider writes to the outbox. */
export function createSenders(
  config: ChannelConfig,
  acknowledgeUrl?: (id: string) => Promise<string>,
): Senders {
  return Object.fromEntries(
    channels.map((channel) => [channel.name, createSender(channel, config, acknowledgeUrl)]),
  );
}

export function createSender(
  channel: ChannelDefinition,
  config: ChannelConfig,
  acknowledgeUrl?: (id: string) => Promise<string>,
): Sender {
  const privateHosts = config['delivery.private_hosts'];
  const sender =
    channel.connect(config, { privateHosts, ...(acknowledgeUrl && { acknowledgeUrl }) }) ??
    createOutbox(channel, config);
  return {
    ...sender,
    async deliver(message, signal) {
      if (message.recipient.address === '')
        return { kind: 'permanent', detail: `the user has no ${channel.address.noun}` };
      return sender.deliver(message, signal);
    },
  };
}

/**
 * Writes messages to a folder instead of sending them. Each file is named after its notification, so a repeated attempt
 * overwrites the file.
 */
function createOutbox(channel: ChannelDefinition, config: ChannelConfig): Sender {
  const folder = config['delivery.outbox_dir'];
  return {
    async deliver(message) {
      const save: SaveFile = (extension, fill) =>
        saveAtomically(join(folder, `${encodeURIComponent(message.id)}.${extension}`), fill);
      try {
        await disk.mkdir(folder, { recursive: true, mode: 0o700 });
        const saved = channel.toOutbox
          ? await channel.toOutbox(message, config, save)
          : await save(`${channel.name}.json`, (path) =>
              disk.writeFile(path, documentOf(message, channel), { mode: 0o600 }),
            );
        return saved ?? { kind: 'temporary', detail: `${folder}: the file could not be written` };
      } catch (error) {
        const reason = storageReason(error, folder);
        return { kind: 'temporary', detail: reason ? `${folder}: ${reason}` : messageOf(error) };
      }
    },
  };
}

function documentOf(
  { id, recipient, subject, text, urgency, data }: Message,
  { address }: ChannelDefinition,
): string {
  const to = address.secret ? `${address.schemes[0]}://…` : recipient.address;
  return `${JSON.stringify({ to, id, subject, text, urgency, ...data }, undefined, 2)}\n`;
}

/** Writes to a temporary name and renames, so that readers of the folder never see a partial file. */
async function saveAtomically(
  file: string,
  fill: (path: string) => Promise<unknown>,
): Promise<Outcome | undefined> {
  if ((await fill(`${file}.part`)) === false) return undefined;
  await disk.rename(`${file}.part`, file);
  return { kind: 'accepted', reference: file, detail: `written to ${file}` };
}
