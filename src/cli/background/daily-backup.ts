import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { promises as disk, existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { LoadedConfig } from '../../config.ts';
import { localDatabase } from '../../feature-options.ts';
import { log } from '../../log.ts';
import { variableName } from '../../setting.ts';
import { hasExited, ownerName } from '../../store/owner.ts';
import { SharedLease } from '../../store/shared-lease.ts';
import { createStore } from '../../store/store.ts';
import type { Terminal } from '../terminal/terminal.ts';

const dayMs = 86_400_000;
/** After a failure, such as a full disk, the next attempt is made then. */
const checkMs = 10 * 60_000;
/** The start has other work to do. */
const firstMs = 2_000;
/** Longer than a backup takes. The lease of a process of this machine that has exited ends at once. */
const leaseMs = 2 * 60 * 60_000;
const maxErrorLength = 10_000;

/**
 * Writes the backup of each day (UTC), unless another process has done so. Another process of this program writes it, because the
 * checks of a large database would block this one. Returns a function that ends it.
 */
export function backUpDaily(loaded: LoadedConfig, terminal: Pick<Terminal, 'env'>): () => Promise<void> {
  const { 'backup.daily_dir': folder, 'backup.keep': keep } = loaded.config;
  if (folder === undefined) return async () => {};
  const stopping = new AbortController();
  let timer: NodeJS.Timeout;
  let writing = Promise.resolve();
  const write = async () => {
    const { datedBackup, keepBackups } = await import('../../backup/backup.ts');
    const today = new Date(Math.floor(Date.now() / dayMs) * dayMs);
    // The name is that of the day, so a second process finds it and does nothing.
    const file = datedBackup(folder, today);
    if (existsSync(file)) return;
    await whileLeased(loaded, folder, async () => {
      if (existsSync(file)) return;
      await removeUnfinished(folder, (_, { mtimeMs }) => Date.now() - mtimeMs > dayMs);
      await runBackup(loaded, terminal, file, stopping.signal);
      const removed = await keepBackups(folder, keep);
      log(
        'info',
        `wrote the backup of the day: ${file}${removed.length > 0 ? `; ${removed.length} older ones were removed` : ''}`,
      );
    });
  };
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      writing = write()
        .catch((error: unknown) => {
          if (!stopping.signal.aborted)
            log('error', `the daily backup in ${folder} failed (backup.daily_dir)`, error);
        })
        .then(() => {
          if (!stopping.signal.aborted) schedule(checkMs);
        });
    }, delayMs).unref();
  };
  schedule(firstMs);
  return () => {
    stopping.abort();
    clearTimeout(timer);
    return writing;
  };
}

/** Does nothing while another process of this machine writes the backup. */
async function whileLeased(
  { config }: LoadedConfig,
  folder: string,
  work: () => Promise<void>,
): Promise<void> {
  const store = createStore(localDatabase(config));
  const lease = new SharedLease({
    ...{ store, clock: Date.now, kind: 'daily-backup', key: folder, owner: ownerName() },
    ...{ durationMs: leaseMs, hasExited },
  });
  try {
    const state = await lease.take({}).catch((error: unknown) => {
      log('warning', 'the daily backup is made without a lease', error);
      return {};
    });
    if (state !== undefined) await work();
  } finally {
    await lease.release().catch(() => {});
    await store.close();
  }
}

/** A process that was killed leaves its unfinished file. */
async function removeUnfinished(
  folder: string,
  isWaste: (pid: number, facts: { readonly mtimeMs: number }) => boolean,
): Promise<void> {
  for (const name of await disk.readdir(folder).catch(() => [])) {
    const [, pid] = /\.backup\.(\d+)\.unfinished/.exec(name) ?? [];
    const facts = pid === undefined ? undefined : await disk.stat(join(folder, name)).catch(() => undefined);
    if (facts !== undefined && isWaste(Number(pid), facts))
      await disk.rm(join(folder, name), { force: true });
  }
}

/** Runs `adjutant backup FILE` with the settings of this process. */
async function runBackup(
  loaded: LoadedConfig,
  { env }: Pick<Terminal, 'env'>,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, [resolve(process.argv[1]!), 'backup', file, '--quiet'], {
    env: { ...env, ...flagVariables(loaded) },
    stdio: ['ignore', 'ignore', 'pipe'],
    windowsHide: true,
  });
  signal.addEventListener('abort', () => child.kill(), { once: true });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-maxErrorLength);
  });
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch (error) {
    log('debug', 'the daily backup has the priority of this process', error);
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return;
  await removeUnfinished(dirname(file), (pid) => pid === child.pid);
  throw new Error(errors.trim() || `the backup ended with ${code ?? 'a signal'}`);
}

/** The settings that flags of this process have, as variables, because others could see a secret among flags. */
function flagVariables({ config, origins }: LoadedConfig): NodeJS.ProcessEnv {
  const given = Object.entries(config).filter(
    ([name, value]) =>
      origins[name]?.startsWith('flag ') && (typeof value !== 'object' || Array.isArray(value)),
  );
  return Object.fromEntries(
    given.flatMap(([name, value]) => [
      [variableName(name), String(value)],
      // Only one of the two may be set.
      [`${variableName(name)}_FILE`, undefined],
    ]),
  );
}
