import { promises as disk, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyAtomically } from './durable-file.ts';

const maxBackups = 10;

/** Copies the file into `backups/` at most once per second, and removes all but the newest backups. */
export async function backUp(file: string, now: Date): Promise<void> {
  if (!existsSync(file)) return;
  const folder = join(dirname(file), 'backups');
  await disk.mkdir(folder, { recursive: true, mode: 0o700 });
  const backup = join(folder, `${basename(file)}.${timestamp(now)}`);
  if (existsSync(backup)) return;
  await copyAtomically(file, backup);
  const backupName = new RegExp(`^${basename(file).replaceAll('.', '\\.')}\\.\\d{8}-\\d{6}$`);
  const backups = (await disk.readdir(folder)).filter((name) => backupName.test(name)).sort();
  for (const name of backups.slice(0, -maxBackups)) await disk.rm(join(folder, name), { force: true });
}

/** YYYYMMDD-HHMMSS in local time. */
function timestamp(now: Date): string {
  const pad = (number: number) => String(number).padStart(2, '0');
  const day = `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}`;
  return `${day}-${pad(now.getHours())}${pad(now.getMinutes())}${pad(now.getSeconds())}`;
}
