import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { readRegularFileSync } from '../../regular-file.ts';
import { ManagedFile } from './managed-file.ts';

/** Changes the text of our own settings file. Returns false if nothing had to change. */
export async function changeSettingsFile(
  file: string,
  change: (text: string) => Promise<string>,
): Promise<boolean> {
  const before = existsSync(file) ? readRegularFileSync(file) : '';
  const after = await change(before);
  if (after === before) return false;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const managed = new ManagedFile(file);
  managed.assertWritable();
  managed.replace(after);
  return true;
}
