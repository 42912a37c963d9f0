import { setTimeout as pause } from 'node:timers/promises';
import { familyOf, isAlive, type ProcessEntry, type ProcessIdentity } from './process-table.ts';

export interface EndedProcess {
  readonly pid: number;
  readonly command: string;
  readonly by: 'SIGINT' | 'SIGKILL';
}

const patienceMs = 5_000;

/**
 * Ends a run for real. The agent is asked first, since it then writes down where it stopped. Whoever is left of the
 * family that was seen before, or has joined it since, is killed: leaving the session or ignoring signals does not help.
 */
export async function endRun(
  root: ProcessIdentity | undefined,
  run: string,
  graceMs: number,
): Promise<readonly EndedProcess[]> {
  const seen = new Map<number, ProcessEntry>();
  const look = async () => {
    for (const entry of await familyOf(root, run)) seen.set(entry.pid, entry);
  };
  await look();
  if (root !== undefined && seen.has(root.pid)) {
    send(root.pid, 'SIGINT');
    await goneWithin([root], graceMs);
  }
  const killed = new Set<number>();
  const deadline = performance.now() + patienceMs;
  do {
    await look();
    const left = await living([...seen.values()]);
    if (left.length === 0) break;
    for (const { pid } of left) {
      send(pid, 'SIGKILL');
      killed.add(pid);
    }
    await goneWithin(left, 1_000);
  } while (performance.now() < deadline);
  return [...seen.values()].map(({ pid, command }) => ({
    pid,
    command: command.length > 200 ? `${command.slice(0, 199)}…` : command,
    by: killed.has(pid) ? 'SIGKILL' : 'SIGINT',
  }));
}

async function living(entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]> {
  const alive = await Promise.all(entries.map(isAlive));
  return entries.filter((_, index) => alive[index]);
}

async function goneWithin(processes: readonly ProcessIdentity[], milliseconds: number): Promise<void> {
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
    // It went by itself.
  }
}
