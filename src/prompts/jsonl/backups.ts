import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyWhole } from './durable-file.ts';

const kept = 10;

/** Copies the file into `backups/` under the time of this second, and keeps the newest. */
export function backUp(file: string, now: Date): void {
  if (!existsSync(file)) return;
  const folder = join(dirname(file), 'backups');
  mkdirSync(folder, { recursive: true });
  const backup = join(folder, `${basename(file)}.${timestamp(now)}`);
  if (existsSync(backup)) return;
  copyWhole(file, backup);
  const ours = new RegExp(`^${basename(file).replaceAll('.', '\\.')}\\.\\d{8}-\\d{6}$`);
  const all = readdirSync(folder)
    .filter((name) => ours.test(name))
    .sort();
  for (const name of all.slice(0, -kept)) rmSync(join(folder, name), { force: true });
}

/** YYYYMMDD-HHMMSS in local time. */
function timestamp(now: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  return `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
}
