import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyAtomically } from './durable-file.ts';

const maxBackups = 10;

/** Copies the file into `backups/` at most once per second, and removes all but the newest backups. */
export function backUp(file: string, now: Date): void {
  if (!existsSync(file)) return;
  const folder = join(dirname(file), 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const backup = join(folder, `${basename(file)}.${timestamp(now)}`);
  if (existsSync(backup)) return;
  copyAtomically(file, backup);
  const backupName = new RegExp(`^${basename(file).replaceAll('.', '\\.')}\\.\\d{8}-\\d{6}$`);
  const backups = readdirSync(folder)
    .filter((name) => backupName.test(name))
    .sort();
  for (const name of backups.slice(0, -maxBackups)) rmSync(join(folder, name), { force: true });
}

/** YYYYMMDD-HHMMSS in local time. */
function timestamp(now: Date): string {
  const pad = (number: number) => String(number).padStart(2, '0');
  const day = `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  return `${day}-${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}`;
}
