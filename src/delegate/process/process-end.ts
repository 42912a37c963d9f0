import { setTimeout as pause } from 'node:timers/promises';
import { truncate } from '../../single-line.ts';
import { isWrapper } from './containment.ts';
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
 * session. Nothing is ended once `isStillOver` returns false: it is called after the processes were listed, so a run that is
 * repeated under the same id keeps its new processes.
 */
export async function terminateRun(
  root: ProcessIdentity | undefined,
  run: string,
  graceMs: number,
  isStillOver: () => boolean = () => true,
): Promise<readonly EndedProcess[]> {
  const seen = new Map<number, ProcessEntry>();
  const refresh = async () => {
    for (const entry of await listRunProcesses(root, run)) seen.set(entry.pid, entry);
  };
  await refresh();
  if (!isStillOver()) return [];
  const wrappers = new Set([...seen.values()].filter(isWrapper).map(({ pid }) => pid));
  const agent =
    root !== undefined && wrappers.has(root.pid)
      ? [...seen.values()].find(({ pid, parent }) => wrappers.has(parent) && !wrappers.has(pid))
      : root;
  if (agent !== undefined && seen.has(agent.pid)) {
    send(agent.pid, 'SIGINT');
    await waitForExit([agent, ...(root === undefined ? [] : [root])], graceMs);
  }
  const killed = new Set<number>();
  const deadline = performance.now() + killTimeoutMs;
  do {
    await refresh();
    if (!isStillOver()) break;
    const remaining = await filterAlive([...seen.values()]);
    if (remaining.length === 0) break;
    // The wrapper ends after the agent. Until then it keeps the processes of the agent together.
    const others = remaining.filter(({ pid }) => !wrappers.has(pid));
    for (const { pid } of others.length > 0 ? others : remaining) {
      send(pid, 'SIGKILL');
      killed.add(pid);
    }
    await waitForExit(remaining, 1_000);
  } while (performance.now() < deadline);
  const reported = [...seen.values()].filter(({ pid }) => !wrappers.has(pid));
  return reported.map(({ pid, command }) => ({
    pid,
    command: truncate(command, 200),
    by: killed.has(pid) ? 'SIGKILL' : 'SIGINT',
  }));
}

/**
 * Ends the processes that an agent no longer controls: those whose parents have exited, and what they have started. The agent
 * itself and its other children stay.
 */
export async function endOrphans(run: string): Promise<void> {
  for (let round = 0; round < maxOrphanRounds; round += 1) {
    const all = (await listRunProcesses(undefined, run)).filter((entry) => !isWrapper(entry));
    const pids = new Set(all.map(({ pid }) => pid));
    // The agent was started first.
    const [, ...orphans] = all.filter(({ parent }) => !pids.has(parent)).sort(byBirth);
    if (orphans.length === 0) return;
    const ended = new Set(orphans.map(({ pid }) => pid));
    for (const { pid, parent } of all) if (ended.has(parent)) ended.add(pid);
    for (const pid of ended) send(pid, 'SIGKILL');
    await waitForExit(orphans, 1_000);
  }
}

/** Each round can free the children of the processes that it ends. */
const maxOrphanRounds = 20;

function byBirth(one: ProcessIdentity, other: ProcessIdentity): number {
  const ticks = ({ born }: ProcessIdentity) => Number(born.split('-').at(-1));
  return ticks(one) - ticks(other) || one.pid - other.pid;
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
