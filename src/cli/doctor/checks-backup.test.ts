import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Checkup, createCheckup } from '../../../test/checkup.ts';
import { backupMetrics, checkBackups } from './checks-backup.ts';

const nowMs = Date.parse('2026-03-10T12:00:00Z');
const hourMs = 3_600_000;

let home: Checkup;
beforeEach(() => {
  home = createCheckup();
});
afterEach(() => home[Symbol.asyncDispose]());

const load = async (folder: string) => (await home.load({ ADJUTANT_BACKUP_DAILY_DIR: folder })).config;

function plantBackup(folder: string, day: string, ageMs: number, content = 'a backup'): void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `adjutant-${day}T00-00-00-000Z.backup`);
  writeFileSync(file, content);
  utimesSync(file, new Date(nowMs - ageMs), new Date(nowMs - ageMs));
}

it('nothing is checked or measured if no daily backup is configured', async () => {
  const { config } = await home.load({});
  expect(await checkBackups(config, nowMs)).toEqual([]);
  expect(await backupMetrics(config)).toEqual([]);
});

it('a folder without backups, or with an empty file, is a warning and measured as 0', async () => {
  const folder = join(home.folder, 'backups');
  const config = await load(folder);
  expect(await checkBackups(config, nowMs)).toMatchObject([{ state: 'warning' }]);
  plantBackup(folder, '2026-03-10', hourMs, '');
  writeFileSync(join(folder, 'adjutant-2026-03-10T00-00-00-000Z.backup.7.unfinished'), 'half');
  expect(await checkBackups(config, nowMs)).toMatchObject([
    { state: 'warning', detail: expect.stringContaining(folder) },
  ]);
  expect(await backupMetrics(config)).toMatchObject([{ name: 'last_backup_timestamp_seconds', value: 0 }]);
});

it('a last backup of more than two days ago is a warning, a newer one is good', async () => {
  const folder = join(home.folder, 'backups');
  const config = await load(folder);
  plantBackup(folder, '2026-03-08', 49 * hourMs);
  expect(await checkBackups(config, nowMs)).toMatchObject([
    { state: 'warning', detail: expect.stringContaining('2026-03-08T11:00Z') },
  ]);
  plantBackup(folder, '2026-03-09', 25 * hourMs);
  expect(await checkBackups(config, nowMs)).toMatchObject([{ state: 'good' }]);
  expect(await backupMetrics(config)).toMatchObject([{ value: (nowMs - 25 * hourMs) / 1000 }]);
});
