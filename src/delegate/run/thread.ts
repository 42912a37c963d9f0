import { join } from 'node:path';
import { Failure } from '../../failure.ts';
import type { AgentName } from '../agents/agent.ts';
import type { Agents } from '../agents/agents.ts';
import type { DelegateOptions } from './delegate-options.ts';
import { isThreadId } from './outcome.ts';
import type { RunQueue } from './run-queue.ts';
import { readStart } from './run-state.ts';

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
