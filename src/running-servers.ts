import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from './atomic-file.ts';
import { isObject, messageOf } from './json.ts';
import { log } from './log.ts';
import { readRegularFileSync } from './regular-file.ts';
import { readReply } from './request-body.ts';
import { storageReason } from './storage-error.ts';
import { isRunning } from './store/owner.ts';

/** A server on HTTP, as it recorded itself for other commands of the same user. */
export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  /** Absent if the token could not be stored. */
  readonly token_file?: string;
  readonly started_at: string;
}

/** Records this server. Returns a function that removes the record. */
export function recordServer(
  stateDir: string,
  server: Pick<RunningServer, 'url' | 'token_file'>,
): () => void {
  const folder = folderOf(stateDir);
  const file = join(folder, `${process.pid}.json`);
  const record = { ...server, pid: process.pid, started_at: new Date().toISOString() };
  try {
    replaceFile(file, `${JSON.stringify(record)}\n`);
  } catch (error) {
    const reason = storageReason(error, folder) ?? messageOf(error);
    log('warning', `adjutant open cannot find this server: ${file} could not be written: ${reason}`);
  }
  return () => {
    try {
      rmSync(file, { force: true });
    } catch {
      // The disk is read-only by now.
    }
  };
}

/** Servers that respond, the newest first. Removes the records of servers that were killed. */
export async function findServers(stateDir: string): Promise<readonly RunningServer[]> {
  const recorded = recordedServers(stateDir);
  const responds = await Promise.all(recorded.map(({ url }) => isAdjutant(url)));
  return recorded.filter((_, at) => responds[at]).sort((a, b) => (a.started_at < b.started_at ? 1 : -1));
}

/** Whether Adjutant serves its page at this address. */
export async function isAdjutant(url: string): Promise<boolean> {
  try {
    const page = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return (await readReply(page)).includes('<title>Adjutant</title>');
  } catch {
    return false;
  }
}

/** The address for programs on the same machine. A server can listen on all addresses, but none can be reached as 0.0.0.0. */
function localAddress(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function recordedServers(stateDir: string): readonly RunningServer[] {
  const folder = folderOf(stateDir);
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names.flatMap((name): RunningServer[] => {
    const pid = Number(/^(\d+)\.json$/.exec(name)?.[1]);
    if (Number.isNaN(pid)) return [];
    try {
      if (!isRunning(pid)) rmSync(join(folder, name), { force: true });
      else {
        const server: unknown = JSON.parse(readRegularFileSync(join(folder, name)));
        if (isObject(server) && typeof server['url'] === 'string')
          return [{ ...(server as unknown as RunningServer), url: localAddress(server['url']) }];
      }
    } catch (error) {
      log('debug', `could not read ${join(folder, name)}`, error);
    }
    return [];
  });
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'servers');
}
