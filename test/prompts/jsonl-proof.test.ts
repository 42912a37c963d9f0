import { expect, it } from 'vitest';
import { batchSize } from '../../src/prompts/jsonl/prompt-edits.ts';
import { proveConcurrency, proveImportKills, proveKills } from './jsonl-proof.ts';

it('keeps every confirmed change when several processes write to one file', async () => {
  const figures = await proveConcurrency(4, 25);
  expect(figures).toMatchObject({ changes: 100, historyEntries: 100 });
  expect(figures.lists).toBeGreaterThan(0);
});

it('keeps every confirmed change when writers are killed at random times', async () => {
  const figures = await proveKills(9);
  expect(figures.kills).toBe(9);
  expect(figures.changes).toBeGreaterThan(8);
});

it('keeps only complete batches of an import that is killed, each prompt with its history', async () => {
  const { prompts } = await proveImportKills(5);
  expect(prompts % batchSize).toBe(0);
});
