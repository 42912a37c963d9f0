import { promises as disk, existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { AgentName } from '../agents/agent.ts';
import type { Agents } from '../agents/agents.ts';
import type { Sandbox } from '../agents/sandbox.ts';
import { readJson } from '../process/json-file.ts';
import { changesState, hasJournal } from '../workspace/journal.ts';
import { workspaceFolder } from '../workspace/workspace.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { isThreadId } from './outcome.ts';
import type { RunQueue } from './run-queue.ts';
import type { RunRequest } from './run-request.ts';
import { hasEnd, readStart } from './run-state.ts';

/** The agent of a run, and the thread that it resumes. */
export interface Target {
  readonly agent: AgentName;
  readonly threadId?: string;
  /** The agent that has run the thread. Absent for a new thread, and for one from outside Adjutant. */
  readonly threadAgent?: AgentName;
  /** The directory of the last run of the thread. */
  readonly runDir?: string;
}

interface Addressed {
  readonly agent?: string;
  readonly thread_id?: string;
}

/** Finds the agent for a call. A thread is resumed by the agent that started it. */
export async function findTarget(
  input: Addressed,
  options: DelegateOptions,
  agents: Agents,
  /** Opened only for a thread, so that a new run reports a full disk as its own result. */
  queue: () => Promise<RunQueue>,
): Promise<Target> {
  // The document has no such argument.
  const requested = options.document ? undefined : input.agent;
  const agent = requested ?? options.agent;
  if (input.thread_id === undefined) return { agent };
  const threadId = await resolveThread(input.thread_id, agent, agents);
  const runDir = findRunDir(threadId, options, await queue());
  const threadAgent = runDir === undefined ? undefined : (await readStart(runDir))?.agent;
  return {
    agent: requested ?? threadAgent ?? agent,
    threadId,
    ...(threadAgent && { threadAgent }),
    ...(runDir !== undefined && { runDir }),
  };
}

/** The id of a thread that the caller names by its id or its name. An unknown name is returned unchanged. */
async function resolveThread(thread: string, agent: AgentName, agents: Agents): Promise<string> {
  if (isThreadId(thread)) return thread.toLowerCase();
  return (await agents.of(agent).findThread?.(thread)) ?? thread;
}

function findRunDir(threadId: string, { runsDir }: DelegateOptions, queue: RunQueue): string | undefined {
  const [run, job] = queue.runOfThread(threadId)?.split('/') ?? [];
  if (run === undefined) return undefined;
  return job === undefined ? join(runsDir, run) : join(runsDir, run, 'subruns', job);
}

/** Refuses a thread that the agent cannot resume. The document leaves that to Codex, which starts a new thread for an unknown name. */
export function refuseUnknownThread(
  { agent, threadId, threadAgent }: Target,
  { document }: Pick<DelegateOptions, 'document'>,
): void {
  if (threadId === undefined) return;
  // The agent would read it as an option.
  if (threadId.startsWith('-'))
    throw new Failure('refused', `thread_id must not start with "-", but it is "${threadId}".`);
  if (threadAgent !== undefined && threadAgent !== agent)
    throw new Failure(
      'refused',
      `The thread ${threadId} was started by ${threadAgent}, so ${agent} cannot resume it.`,
    );
  if (!isThreadId(threadId) && threadAgent === undefined && !document)
    throw new Failure('refused', `There is no thread with the id or name "${threadId}".`);
}

/** A run that continues or forks the thread of an earlier one. */
interface FollowUp {
  /** The directory of the last run of the thread. */
  readonly runDir: string;
  readonly cwd: string;
  readonly sandbox: Sandbox;
  readonly fork: RunRequest['fork'];
}

type EarlierWork = Pick<RunRequest, 'continues' | 'sharedBy'> & { readonly notes: readonly string[] };

/**
 * A run that goes on sees what the run before it has changed: it takes its changes over, or, if it only reads or is a fork, looks
 * at them. If it cannot see changes that wait, a note says so.
 */
export async function earlierWork({ runDir, cwd, sandbox, fork }: FollowUp): Promise<EarlierWork> {
  const { path, id } = await ownerOf(runDir);
  const storage = join(path, workspaceFolder);
  const state = await changesState(storage);
  const isWaiting = state === 'waiting' || state === 'branch';
  const isWriting = sandbox === 'workspace-write' && fork === undefined;
  // Whether a run in progress leaves changes that wait is not known yet.
  if (isWriting && !(isWaiting && hasEnd(path))) return { continues: path, notes: [] };
  if (!isWaiting) return { notes: [] };
  const origin = (await readJson(join(storage, 'workspace.json')))?.['origin'];
  const isSame = !hasEnd(path) || origin === (await disk.realpath(cwd).catch(() => cwd));
  // What the agent knows of a part of the earlier run does not fit all its changes.
  const isReading = sandbox === 'read-only' && fork?.lastTurnId === undefined;
  if (isSame && isWriting && !hasJournal(storage)) return { continues: path, notes: [] };
  if (isSame && isReading) return { sharedBy: { id, path }, notes: [] };
  const place = state === 'branch' ? 'on a branch' : 'waiting to be applied';
  return {
    notes: [
      `This run does not see the changes of run ${id}, which are ${place}. "adjutant runs apply ${id}" applies them, and "adjutant runs diff ${id}" shows them.`,
    ],
  };
}

/** The run with the changes: the run itself, or the autopilot whose jobs work in one workspace. */
async function ownerOf(runDir: string): Promise<{ readonly path: string; readonly id: string }> {
  const jobs = dirname(runDir);
  if (basename(jobs) !== 'subruns') return { path: runDir, id: basename(runDir) };
  const autopilot = dirname(jobs);
  const id = basename(autopilot);
  const job = `${id}/${basename(runDir)}`;
  if (existsSync(join(runDir, workspaceFolder)) || !existsSync(join(autopilot, workspaceFolder)))
    return { path: runDir, id: job };
  if (!hasEnd(autopilot))
    throw new Failure(
      'refused',
      `The changes of ${job} are in the workspace of the autopilot ${id}, which is still in progress. Wait until it has ended.`,
    );
  return { path: autopilot, id };
}
