import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFileSync } from '../../regular-file.ts';

/** The id of this machine. Host names repeat, and change; the file stays with the folder of the runs. */
export function machineId(stateFolder: string): string {
  const file = join(stateFolder, 'machine-id');
  const read = () => {
    try {
      return readRegularFileSync(file).trim();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  };
  const known = read();
  if (known !== '') return known;
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${crypto.randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // Another process was first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return read();
}
