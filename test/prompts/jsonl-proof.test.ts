import { expect, it } from 'vitest';
import { proveConcurrency, proveKills } from './jsonl-proof.ts';

it('keeps every answered change of several processes that write one file at once', async () => {
  const figures = await proveConcurrency(4, 25);
  expect(figures).toMatchObject({ changes: 100, journalEntries: 100 });
  expect(figures.lists).toBeGreaterThan(0);
});

it('keeps every answered change when writers are killed at random moments', async () => {
  const figures = await proveKills(9);
  expect(figures.kills).toBe(9);
  expect(figures.changes).toBeGreaterThan(8);
});
