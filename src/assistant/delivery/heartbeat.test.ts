import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fill, noon, person } from '../../../test/assistant-rows.ts';
import { createStore } from '../../store/store.ts';
import { announceSender, hasSender } from './heartbeat.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-heartbeat-'));
  const [sender, other] = [0, 1].map(() => createStore(join(folder, 'adjutant.db'))) as [
    ReturnType<typeof createStore>,
    ReturnType<typeof createStore>,
  ];
  onTestFinished(async () => {
    await Promise.all([sender.close(), other.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, sender, other };
}

it('a sender is known before the first write has created the database, and until it stops', async () => {
  const { folder, sender, other } = open();
  const announced = announceSender({ store: sender, clock: () => noon }, 'worker', ['desktop']);
  expect(await hasSender(other, 'desktop', noon)).toBe(true);
  expect(await hasSender(other, 'email', noon)).toBe(false);
  expect(existsSync(sender.place)).toBe(false);
  // The process that writes first asks before the sender has noticed the database.
  await fill(other, { users: [person('ada')] });
  expect(await hasSender(other, 'desktop', noon)).toBe(true);
  announced.beat();
  await vi.waitFor(() => expect(readdirSync(`${sender.place}.senders`)).toEqual([]), 20_000);
  expect(await hasSender(other, 'desktop', noon)).toBe(true);
  await announced.end();
  expect(await hasSender(other, 'desktop', noon)).toBe(false);
  expect(readdirSync(folder)).toContain('adjutant.db');
});

it('a sender that was killed while it waited is forgotten after its announcement expires', async () => {
  const { sender, other } = open();
  const announced = announceSender({ store: sender, clock: () => noon }, 'worker');
  expect(await hasSender(other, undefined, noon + 119_999)).toBe(true);
  expect(await hasSender(other, undefined, noon + 120_000)).toBe(false);
  await announced.end();
  expect(await hasSender(other, undefined, noon)).toBe(false);
  expect(existsSync(sender.place)).toBe(false);
});
