import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { putFinishedRun } from '../../../test/delegate/finished-run.ts';
import { planRemoval } from './retention.ts';

let folder: string;
let ids: readonly string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retention-'));
  ids = [0, 1, 2, 3].map((index) => putFinishedRun(folder, index)).reverse();
});

const keepChanges = (id: string, job = '') =>
  mkdirSync(join(folder, id, job, '.workspace', 'upper'), { recursive: true });
const write = (id: string, bytes: number) =>
  writeFileSync(join(folder, id, 'events.jsonl'), Buffer.alloc(bytes));

it('keeps everything without limits', async () => {
  expect(await planRemoval(folder, {})).toMatchObject({ removed: [], waiting: [], runs: 4 });
});

it('removes runs by age, except the newest and those that have not ended', async () => {
  rmSync(join(folder, ids[3]!, 'result.json'));
  expect((await planRemoval(folder, { ageMs: 0 })).removed).toEqual(ids.slice(0, 3));
  expect((await planRemoval(folder, { ageMs: 0, keep: 2 })).removed).toEqual([ids[2]]);
  expect((await planRemoval(folder, { ageMs: 100 * 365 * 86_400_000 })).removed).toEqual([]);
});

it('removes the oldest runs until the rest fits', async () => {
  for (const id of ids) write(id, 1_000_000);
  const plan = await planRemoval(folder, { bytes: 2_500_000 });
  expect(plan.removed).toEqual(ids.slice(2));
  expect(plan.removedBytes).toBeGreaterThan(2_000_000);
  expect(plan.bytes - plan.removedBytes).toBeLessThan(2_500_000);
});

it('never removes a run with changes that wait to be applied, also not those of a job', async () => {
  keepChanges(ids[1]!);
  keepChanges(ids[2]!, 'subruns/one');
  const plan = await planRemoval(folder, { ageMs: 0, bytes: 0 });
  expect(plan).toMatchObject({ removed: [ids[0], ids[3]], waiting: [ids[1], ids[2]] });
  expect(readdirSync(folder)).toHaveLength(4);
});

it('removes a folder of a run without a call, and ignores other files', async () => {
  rmSync(join(folder, ids[0]!, 'request.json'));
  rmSync(join(folder, ids[0]!, 'result.json'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  expect((await planRemoval(folder, {})).removed).toEqual([ids[0]]);
  expect(await planRemoval(join(folder, 'none'), { ageMs: 0 })).toMatchObject({ removed: [], runs: 0 });
});
