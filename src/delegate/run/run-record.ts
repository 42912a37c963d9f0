import { promises as disk } from 'node:fs';
import { present } from '../../json.ts';
import type { ValueOf } from '../../tool.ts';
import type { Usage } from '../agents/agent.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { readJson } from '../process/json-file.ts';
import type { Evidence } from '../workspace/evidence.ts';
import { RunDirectory } from '../workspace/run-directory.ts';
import { type Answer, asAnswer } from './answer.ts';
import type { RunStatus } from './outcome.ts';
import { describeRequest } from './run-progress.ts';
import type { RunResult } from './run-request.ts';
import type { runSchema } from './run-schema.ts';
import { type RunCall, type RunEnd, readRunState, timingSince } from './run-state.ts';
import type { SkillSelection } from './skill-selection.ts';
import type { Skill } from './skills.ts';

/** A run as read from its directory, whichever server ran it. */
export interface RunRecord
  extends Omit<Required<ValueOf<typeof runSchema>>, 'host' | 'selected_skills' | 'usage' | 'evidence'>,
    Pick<RunEnd, 'agent' | 'protocol' | 'model'> {
  readonly selected_skills: readonly Skill[];
  readonly usage: Usage | null;
  readonly cost_usd?: number | null;
  readonly evidence: Evidence | null;
  /** Requests of the agent that wait for a person. Absent without any. */
  readonly approvals?: readonly PendingApproval[];
}

/** A run as its directory describes it, which does not show that its process was killed. */
export type StoredRun = RunRecord & { readonly status: RunStatus | 'running' };

/** The part of a record that lists of runs show. */
export type RunOutline = Pick<
  RunRecord,
  'run_id' | 'subagent_thread_id' | 'summary' | 'timing' | 'status' | 'error' | 'usage'
>;

/**
 * Loads a run from its directory. Returns `undefined` if there is no such run. A run that has not ended is reported as
 * `running`, unless the caller passes the result in `known` because it could not be written.
 */
export async function loadRecord(
  path: string,
  id: string,
  known?: RunResult,
): Promise<StoredRun | undefined> {
  const directory = new RunDirectory(path, id);
  const state = await readRunState(path);
  if (state === undefined) return undefined;
  const [skills, evidence] = await Promise.all([
    readJson(directory.file('selected_skills.json')) as Promise<Partial<SkillSelection> | undefined>,
    readJson(directory.file('evidence.json')),
  ]);
  const end = state.end ?? (known && endOf(known));
  const { call, start, threadId, approvals } = state;
  const outline = outlineOf(id, call, end, threadId);
  const { status } = outline;
  const open = end === undefined ? approvals : [];
  return {
    ...outline,
    run_dir: path,
    selected_skills: skills?.selected ?? [],
    deliverables: end?.answer?.deliverables ?? [],
    open_questions: end?.answer?.open_questions ?? [],
    next_actions: [...open.map(answerAction), ...nextActions(id, status, skills, end?.answer)],
    artifacts: await directory.artifacts(),
    evidence: (evidence as Evidence | undefined) ?? known?.evidence ?? null,
    // In mode `auto` the caller did not ask for skills, so do not warn that none matched.
    warnings: [...(skills?.mode === 'auto' ? [] : (skills?.warnings ?? [])), ...(end?.warnings ?? [])],
    ended_processes: end?.ended ?? [],
    ...present({
      agent: end?.agent ?? start?.agent,
      protocol: end?.protocol ?? start?.protocol,
      model: end?.model ?? start?.model,
    }),
    ...(end?.costUsd !== undefined && { cost_usd: end.costUsd }),
    ...(open.length > 0 && { approvals: open }),
  };
}

/** True for a run without a final result. */
export function isOpen({ status }: Pick<RunRecord, 'status'>): boolean {
  return status === 'running' || status === 'interrupted';
}

/** A run whose process was killed, and which nobody has finished yet. */
export function asInterrupted(record: RunRecord): RunRecord {
  const { run_id } = record;
  return {
    ...record,
    status: 'interrupted',
    summary: fallbackSummary('', 'interrupted'),
    error: 'The process of this run was killed. A server finishes or continues the run within seconds.',
    next_actions: [`If no server is running, finish the run with cancel_run and run_id ${run_id}`],
  };
}

export function outlineOf(
  id: string,
  call: RunCall,
  end?: RunEnd,
  threadId = end?.threadId ?? null,
): RunOutline & Pick<StoredRun, 'status'> {
  const status = end?.status ?? 'running';
  const startedAt = call.receivedAt;
  return {
    run_id: id,
    subagent_thread_id: threadId,
    summary: end?.answer?.summary || fallbackSummary(call.tool, status),
    timing: end?.timing ?? {
      started_at: startedAt,
      finished_at: startedAt,
      duration_ms: Math.max(0, Date.now() - Date.parse(startedAt)),
    },
    status,
    error: end?.error ?? null,
    usage: end?.usage ?? null,
  };
}

/** Tells the client that a request waits for the user. */
export function answerAction(request: PendingApproval): string {
  const { id, run_id } = request;
  const tool = run_id === undefined ? 'answer_approval' : `answer_approval (run_id ${run_id})`;
  return `Let the user decide on request ${id} with ${tool}: ${describeRequest(request)}`;
}

/** The part of a result that stays readable. A reply that does not match the schema becomes the summary. */
export function endOf(result: RunResult): RunEnd {
  const summary = result.lastMessage?.trim() ?? '';
  const plain = { summary, deliverables: [], open_questions: [], next_actions: [] };
  return { ...result, answer: asAnswer(result.answer) ?? plain };
}

const statusPhrases = {
  completed: 'finished',
  completed_with_problems: 'finished with problems',
  failed: 'failed',
  cancelled: 'was cancelled',
  running: 'is still running',
  interrupted: 'was interrupted',
} as const;

function fallbackSummary(tool: string, status: keyof typeof statusPhrases): string {
  return `${tool === 'delegate_resume' ? 'Delegated resume' : 'Delegated run'} ${statusPhrases[status]}.`;
}

function nextActions(
  id: string,
  status: keyof typeof statusPhrases,
  skills: Partial<SkillSelection> | undefined,
  answer: Answer | undefined,
): readonly string[] {
  if (status === 'running') return [`Call collect_run with run_id ${id} for the result`];
  if (skills?.errors?.length) return ['Fix skill selection errors (skills_mode/skills names) and retry'];
  return [...(status === 'failed' ? ['Inspect run_dir artifacts'] : []), ...(answer?.next_actions ?? [])];
}

/** Lists the ids of the runs in a folder, newest first. */
export async function listRunIds(runsFolder: string): Promise<readonly string[]> {
  const names = await disk.readdir(runsFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .filter((name) => runIdPattern.test(name))
    .sort()
    .reverse();
}

export const runIdPattern = /^\d{4}-\d{2}-\d{2}_\d{9}_[0-9a-f]{12}$/;

/** Record of a run whose directory could not be created. */
export function notStartedRecord(error: string): RunRecord {
  return {
    run_id: 'unknown',
    run_dir: 'unknown',
    subagent_thread_id: null,
    selected_skills: [],
    summary: 'The run was not started.',
    deliverables: [],
    open_questions: [],
    next_actions: [],
    artifacts: [],
    timing: timingSince(new Date()),
    status: 'failed',
    error,
    usage: null,
    evidence: null,
    warnings: [],
    ended_processes: [],
  };
}
