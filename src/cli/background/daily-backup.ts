import { existsSync } from 'node:fs';
import type { LoadedConfig } from '../../config.ts';
import { log } from '../../log.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { backupPlaces } from './backup-places.ts';

const dayMs = 86_400_000;
/** After a failure, such as a full disk, the next attempt is made then. */
const checkMs = 10 * 60_000;
/** The start has other work to do. */
const firstMs = 2_000;

/** Writes the backup of each day (UTC), unless another process has done so. Returns a function that waits for its end. */
export function backUpDaily(loaded: LoadedConfig, terminal: Pick<Terminal, 'env'>): () => Promise<void> {
  const { 'backup.daily_dir': folder, 'backup.keep': keep } = loaded.config;
  if (folder === undefined) return async () => {};
  let timer: NodeJS.Timeout;
  let writing = Promise.resolve();
  let isEnded = false;
  const write = async () => {
    const { datedBackup, keepBackups, writeBackup } = await import('../../backup/backup.ts');
    const today = new Date(Math.floor(Date.now() / dayMs) * dayMs);
    // The name is that of the day, so a second process finds it and does nothing.
    const file = datedBackup(folder, today);
    if (existsSync(file)) return;
    await writeBackup(backupPlaces(loaded, terminal), file, { withSecrets: false });
    const removed = await keepBackups(folder, keep);
    log(
      'info',
      `wrote the backup of the day: ${file}${removed.length > 0 ? `; ${removed.length} older ones were removed` : ''}`,
    );
  };
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      writing = write()
        .catch((error: unknown) =>
          log('error', `the daily backup in ${folder} failed (backup.daily_dir)`, error),
        )
        .then(() => {
          if (!isEnded) schedule(checkMs);
        });
    }, delayMs).unref();
  };
  schedule(firstMs);
  return () => {
    isEnded = true;
    clearTimeout(timer);
    return writing;
  };
}
