import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import PostalMime from 'postal-mime';
import { createDelivery } from '../src/assistant/delivery/delivery.ts';
import type { PolicyOptions } from '../src/assistant/policy/policy-model.ts';
import { channelConfig } from './channel-config.ts';
import type { TestAssistant } from './open-assistant.ts';

const minute = 60_000;

/** Runs one round of a worker at the given time. Returns subject and text of the mails it wrote. */
export async function runWorker(
  assistant: TestAssistant,
  now: number,
  policy: PolicyOptions = { name: 'rules', timeoutMs: 1000 },
): Promise<string[]> {
  assistant.now = now;
  const before = new Set(outbox(assistant));
  const delivery = createDelivery({
    databaseUrl: assistant.file,
    policy,
    calendars: {
      privateHosts: ['127.0.0.1'],
      passwordsFile: join(dirname(assistant.file), 'passwords'),
      maxBytes: 1_000_000,
      intervalMs: 15 * minute,
    },
    channels: channelConfig(outboxFolder(assistant)),
    slots: 4,
    leaseMs: 60_000,
    clock: () => assistant.now,
  });
  await delivery.once();
  await delivery.stop();
  const written = outbox(assistant).filter((name) => !before.has(name) && name.endsWith('.eml'));
  return Promise.all(
    written.map(async (name) => {
      const { subject = '', text = '' } = await PostalMime.parse(
        readFileSync(join(outboxFolder(assistant), name)),
      );
      return `${subject}\n${text}`;
    }),
  );
}

const outboxFolder = (assistant: TestAssistant) => join(dirname(assistant.file), 'outbox');
export function outbox(assistant: TestAssistant): string[] {
  try {
    return readdirSync(outboxFolder(assistant));
  } catch {
    return [];
  }
}

/** Runs a worker at each planned time up to the given one. Returns subject and text of all mails. */
export async function runWorkerUntil(assistant: TestAssistant, untilMs: number): Promise<string[]> {
  const written: string[] = [];
  for (;;) {
    const { notifications } = (await assistant.call('list_notifications', {
      status: 'planned',
      days_back: 1,
      days_forward: 30,
    })) as { notifications: { plan_time: string }[] };
    const [next] = notifications.map(({ plan_time }) => Date.parse(plan_time)).filter((ms) => ms <= untilMs);
    if (next === undefined) return written;
    written.push(...(await runWorker(assistant, Math.max(assistant.now, next) + 1)));
  }
}
