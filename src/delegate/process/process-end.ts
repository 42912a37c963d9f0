import { setTimeout as pause } from 'node:timers/promises';
import { isAlive, listRunProcesses, type ProcessEntry, type ProcessIdentity } from './process-table.ts';

export interface EndedProcess {
  readonly pid: number;
  readonly command: string;
  readonly by: 'SIGINT' | 'SIGKILL';
}

const killTimeoutMs = 5_000;

/**
 * Terminates all processes of a run. The agent gets a SIGINT first, so that it can save its state. Then every remaining
 * process of the run is killed, including those started meanwhile, those that ignore signals and those that left the
 * session.
 */
export async function terminateRun(
  root: ProcessIdentity | undefined,
  run: string,
  graceMs: number,
): Promise<readonly EndedProcess[]> {
  const seen = new Map<number, ProcessEntry>();
  const refresh = async () => {
    for (const entry of await listRunProcesses(root, run)) seen.set(entry.pid, entry);
  };
  await refresh();
  if (root !== undefined && seen.has(root.pid)) {
    send(root.pid, 'SIGINT');
    await waitForExit([root], graceMs);
  }
  const killed = new Set<number>();
  const deadline = performance.now() + killTimeoutMs;
  do {
    await refresh();
    const remaining = await filterAlive([...seen.values()]);
    if (remaining.length === 0) break;
    for (const { pid } of remaining) {
      send(pid, 'SIGKILL');
      killed.add(pid);
    }
    await waitForExit(remaining, 1_000);
  } while (performance.now() < deadline);
  return [...seen.values()].map(({ pid, command }) => ({
    pid,
    command: command.length > 200 ? `${command.slice(0, 199)}…` : command,
    by: killed.has(pid) ? 'SIGKILL' : 'SIGINT',
  }));
}

async function filterAlive(entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  const alive = await Promise.all(entries.map(isAlive));
  return entries.filter((_, index) => alive[index]);
}

async function waitForExit(processes: readonly ProcessIdentity[], milliseconds: number): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (performance.now() < deadline) {
    if (!(await Promise.all(processes.map(isAlive))).includes(true)) return;
    await pause(20);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already exited.
  }
}
