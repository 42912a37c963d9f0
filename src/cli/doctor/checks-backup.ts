import type { Config } from '../../config.ts';
import type { Finding, Metric } from '../../feature.ts';

const title = 'Backups';
const dayMs = 86_400_000;
/** A machine may be off for a day. */
const maxAgeMs = 2 * dayMs;

/** Warns if backups are to be written every day and the last good one is old. */
export async function checkBackups(config: Config, nowMs = Date.now()): Promise<readonly Finding[]> {
  const folder = config['backup.daily_dir'];
  if (folder === undefined) return [];
  const lastMs = await lastBackupIn(folder);
  if (lastMs !== undefined && nowMs - lastMs <= maxAgeMs)
    return [{ title, state: 'good', detail: `the last one in ${folder} is of ${isoMinute(lastMs)}` }];
  return [
    {
      title,
      state: 'warning',
      detail:
        lastMs === undefined
          ? `there is none in ${folder} (backup.daily_dir)`
          : `the last one in ${folder} (backup.daily_dir) is of ${isoMinute(lastMs)}`,
      remedy: `start a server or a worker, which write one every day, and look for errors in its log; or run adjutant backup ${folder}/`,
    },
  ];
}

/** The time of the last good backup, or 0 if there is none. */
export async function backupMetrics(config: Config): Promise<readonly Metric[]> {
  const folder = config['backup.daily_dir'];
  if (folder === undefined) return [];
  return [
    {
      name: 'last_backup_timestamp_seconds',
      help: 'Time of the newest backup in backup.daily_dir; 0 if there is none',
      type: 'gauge',
      value: Math.floor(((await lastBackupIn(folder)) ?? 0) / 1000),
    },
  ];
}

async function lastBackupIn(folder: string): Promise<number | undefined> {
  return (await import('../../backup/backup.ts')).lastBackupMs(folder);
}

function isoMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}
