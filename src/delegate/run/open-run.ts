import type { AgentName } from '../agents/agent.ts';
import type { ProcessIdentity } from '../process/process-table.ts';

/** A run without a result yet, as stored in the queue. */
export interface OpenRun {
  readonly directory: string;
  readonly runId: string;
  readonly agent: AgentName;
  readonly tool: string;
  /** An autopilot is in the queue so that its host is known; it waits for nothing and takes no place of an agent. */
  readonly state: 'waiting' | 'running' | 'autopilot';
  readonly threadId: string | null;
  /** The host that carries the run, or the server that is about to start the host. If it is dead, the run is abandoned. */
  readonly owner: ProcessIdentity;
  readonly fence: number;
  /** The server that gave the run to the host, until the host accepts it. If the host dies before, this server starts another. */
  readonly starter: ProcessIdentity | null;
  /** The agent's process; `null` until its pid is recorded. */
  readonly process: ProcessIdentity | null;
  readonly startedAt: string | null;
  /** The socket of the host. */
  readonly socket: string | null;
}

export type NewRun = Pick<OpenRun, 'directory' | 'runId' | 'agent' | 'tool' | 'threadId' | 'state'>;

/** True for a job of an autopilot, whose id contains the id of the autopilot. */
export function isJob({ runId }: Pick<OpenRun, 'runId'>): boolean {
  return runId.includes('/');
}

export function toOpenRun(row: Record<string, unknown>): OpenRun {
  return {
    directory: String(row['directory']),
    runId: String(row['run_id']),
    agent: row['agent'] as AgentName,
    tool: String(row['tool']),
    state: row['state'] as OpenRun['state'],
    threadId: row['thread_id'] as string | null,
    owner: { pid: Number(row['owner_pid']), born: String(row['owner_born']) },
    fence: Number(row['fence']),
    starter:
      row['starter_pid'] === null
        ? null
        : { pid: Number(row['starter_pid']), born: String(row['starter_born']) },
    process: row['pid'] === null ? null : { pid: Number(row['pid']), born: String(row['born']) },
    startedAt: row['started_at'] as string | null,
    socket: row['socket'] as string | null,
  };
}

/**
 * True if a waiting run may start now. Runs start in queue order. A run whose thread is in use lets later runs pass, because
 * a thread takes one run at a time.
 */
export function mayStart(
  directory: string,
  open: readonly OpenRun[],
  abandoned: ReadonlySet<string>,
  maxParallel: number,
): boolean {
  const runs = open.filter((run) => run.state !== 'autopilot' && !abandoned.has(run.directory));
  const running = runs.filter((run) => run.state === 'running');
  const busyThreads = new Set(running.flatMap((run) => run.threadId ?? []));
  let free = maxParallel - running.length;
  for (const run of runs) {
    if (free <= 0) return false;
    if (run.state === 'running' || (run.threadId !== null && busyThreads.has(run.threadId))) continue;
    if (run.directory === directory) return true;
    if (run.threadId !== null) busyThreads.add(run.threadId);
    free -= 1;
  }
  return false;
}

/** Directories of the runs that this process carries or recovers at the moment. */
export const ownRuns = new Set<string>();
