import { expect, it } from 'vitest';
import { batchSize } from '../../src/prompts/jsonl/prompt-edits.ts';
import { proveConcurrency, proveImportKills, proveKills } from './jsonl-proof.ts';

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

it('keeps whole batches of imports that are killed, each prompt with its history', async () => {
  const { prompts } = await proveImportKills(5);
  expect(prompts % batchSize).toBe(0);
});
