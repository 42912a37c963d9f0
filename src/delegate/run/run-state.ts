import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseObject, present } from '../../json.ts';
import type { AgentName, Usage } from '../agents/agent.ts';
import type { PendingApproval } from '../agents/protocols/approval.ts';
import { isSandbox, type Sandbox } from '../agents/sandbox.ts';
import { readJson } from '../process/json-file.ts';
import type { EndedProcess } from '../process/process-end.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { type Answer, asAnswer } from './answer.ts';
import type { RunStatus } from './outcome.ts';

/**
 * A run is *queued* → *running* → *waiting* (for a person) → *running* → *ended*. The run host owns it from *running* on. A host
 * that dies leaves it *interrupted*, and the recovery process, nobody else, moves it to *ended*. Whether its changes are applied
 * is a state of the workspace, not of the run.
 *
 * The state is in files, each written once per step: the call (`request.json`) when the run is queued, how its agent is started
 * (`run.json`), its thread (`thread.json`), what it asks a person (`approvals.json`), and how it ended (`result.json`). Only this
 * module reads and writes them, for every agent.
 */
export interface RunState {
  readonly call: RunCall;
  /** Absent until the agent is ready to start. */
  readonly start?: AgentStart;
  readonly threadId: string | null;
  /** Requests of the agent that wait for a person. */
  readonly approvals: readonly PendingApproval[];
  /** Absent until the run has ended. */
  readonly end?: RunEnd;
}

/** The call that asked for a run, or the specification of a job. */
export interface RunCall {
  readonly tool: string;
  readonly receivedAt: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The token or OAuth subject that started the run. Absent for the owner. */
  readonly actor?: string;
  readonly actorId?: string;
  /** Id of the person to notify. With `ifLeft`, only if no client waits for the run any more. */
  readonly notify?: { readonly person: string; readonly ifLeft: boolean };
}

/** How the agent of a run was started. */
export interface AgentStart {
  readonly agent: AgentName;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly sandbox: Sandbox;
  /** The model, if the call named one. */
  readonly model?: string;
  /** How the agent is driven, such as `app-server`. Absent if it runs the task to completion by itself. */
  readonly protocol?: string;
  readonly session?: object;
  /** The thread that the run resumes or forks. */
  readonly parent?: { readonly by: 'resume' | 'fork'; readonly threadId: string };
  /** The directory of the run whose workspace it uses. */
  readonly view?: string;
  /** Warnings for the result. */
  readonly warnings: readonly string[];
}

/** How a run ended. */
export interface RunEnd {
  readonly status: RunStatus;
  /** Why the run is not `completed`, in one sentence. */
  readonly error: string | null;
  /** True if the run was stopped because a budget is used up. */
  readonly overBudget?: boolean;
  readonly threadId: string | null;
  readonly answer: Answer | undefined;
  /** Tokens used by this run, without earlier runs of the thread. */
  readonly usage: Usage | null;
  /** The cost of those tokens in US dollars, if the agent reports it or the settings have a price for the model. */
  readonly costUsd?: number | null;
  /** The agent that did the work, how it was driven, and its model if the call named one. */
  readonly agent?: AgentName;
  readonly protocol?: string;
  readonly model?: string;
  readonly timing: Timing;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Processes that were terminated when the run was stopped. */
  readonly ended: readonly EndedProcess[];
  /** Problems that did not stop the run. */
  readonly warnings: readonly string[];
}

export interface Timing {
  readonly started_at: string;
  readonly finished_at: string;
  readonly duration_ms: number;
}

/** The time from a moment until now. */
export function timingSince(startedAt: Date): Timing {
  const now = new Date();
  return {
    started_at: startedAt.toISOString(),
    finished_at: now.toISOString(),
    duration_ms: Math.max(0, now.getTime() - startedAt.getTime()),
  };
}

type Contents = Readonly<Record<string, unknown>>;

const files = {
  call: 'request.json',
  start: 'run.json',
  thread: 'thread.json',
  approvals: 'approvals.json',
  end: 'result.json',
} as const;
/** The document's name for how the agent was started. Earlier versions wrote this file for every agent. */
const documentedStart = 'codex_exec.json';

export async function readRunState(path: string): Promise<RunState | undefined> {
  const call = await readCall(path);
  if (call === undefined) return undefined;
  const [start, thread, end] = await Promise.all([
    readStart(path),
    readJson(join(path, files.thread)),
    readEnd(path),
  ]);
  return {
    call,
    ...(start && { start }),
    threadId: end === undefined ? (textIn(thread, 'thread_id') ?? null) : end.threadId,
    approvals: end === undefined ? await readApprovals(path) : [],
    ...(end && { end }),
  };
}

/** The content of `request.json` for a call that was just received. */
export function callFile({ tool, receivedAt, input, actor, actorId, notify }: RunCall): object {
  return {
    ...{ tool, received_at: receivedAt, request: input, actor, actor_id: actorId },
    notify: notify && { person: notify.person, if_left: notify.ifLeft },
  };
}

/** Records what a job of an autopilot is to do. */
export function writeJob(directory: RunDirectory, job: object): Promise<void> {
  const receivedAt = new Date().toISOString();
  return directory.writeJson(files.call, { tool: 'delegate_autopilot', received_at: receivedAt, job });
}

export async function readCall(path: string): Promise<RunCall | undefined> {
  const file = await readJson(join(path, files.call));
  if (file === undefined) return undefined;
  return {
    tool: String(file['tool']),
    receivedAt: String(file['received_at']),
    // A job of an autopilot has a specification instead of a call.
    input: [file['request'], file['job']].find(isObject) ?? {},
    ...present({ actor: textIn(file, 'actor'), actorId: textIn(file, 'actor_id') }),
    ...(isObject(file['notify']) && {
      notify: { person: String(file['notify']['person']), ifLeft: file['notify']['if_left'] === true },
    }),
  };
}

/** True if there is a run in this directory. */
export function hasCall(path: string): boolean {
  return existsSync(join(path, files.call));
}

/** Records how the agent of a run is started. `documented` has the other fields of the drop-in contract's own file. */
export async function writeStart(
  directory: RunDirectory,
  { agent, argv, cwd, sandbox, model, protocol, session, parent, view, warnings }: AgentStart,
  documented?: object,
): Promise<void> {
  await directory.writeJson(files.start, {
    ...{ agent, argv, cwd, sandbox, model, protocol, session },
    parent: parent && { by: parent.by, thread_id: parent.threadId },
    view,
    warnings,
  });
  if (documented !== undefined)
    await directory.writeJson(documentedStart, {
      ...{ argv, run_dir: directory.path, codex_cwd: cwd, sandbox },
      ...documented,
      prompt_via_stdin: true,
    });
}

/** Reads how the agent of a run was started. `readText` reads a file of a run that is not on this machine. */
export async function readStart(
  path: string,
  readText?: (name: string) => Promise<string | undefined>,
): Promise<AgentStart | undefined> {
  for (const name of [files.start, documentedStart]) {
    const file =
      readText === undefined ? await readJson(join(path, name)) : parseObject((await readText(name)) ?? '');
    if (file !== undefined) return toStart(file);
  }
  return undefined;
}

function toStart(file: Contents): AgentStart {
  const [oldBy, oldThread] = textsIn(file, 'subcommand_args');
  const parent = isObject(file['parent']) ? file['parent'] : { by: oldBy, thread_id: oldThread };
  const threadId = textIn(parent, 'thread_id');
  const { sandbox, session } = file;
  return {
    agent: textIn(file, 'agent') ?? 'codex',
    argv: textsIn(file, 'argv'),
    cwd: textIn(file, 'cwd') ?? String(file['codex_cwd']),
    sandbox: isSandbox(sandbox) ? sandbox : 'danger-full-access',
    ...present({
      model: textIn(file, 'model'),
      protocol: textIn(file, 'protocol'),
      view: textIn(file, 'view'),
    }),
    ...(isObject(session) && { session }),
    ...(threadId !== undefined && {
      parent: { by: parent['by'] === 'fork' ? 'fork' : 'resume', threadId },
    }),
    warnings: textsIn(file, 'warnings'),
  };
}

export function writeThread(directory: RunDirectory, threadId: string): Promise<void> {
  return directory.writeJson(files.thread, { thread_id: threadId });
}

export function writeApprovals(directory: RunDirectory, pending: readonly PendingApproval[]): Promise<void> {
  return directory.writeJson(files.approvals, { pending });
}

export async function readApprovals(path: string): Promise<readonly PendingApproval[]> {
  const file = await readJson(join(path, files.approvals));
  return Array.isArray(file?.['pending']) ? (file['pending'] as PendingApproval[]) : [];
}

/** Records how a run ended, with a list of its files. */
export async function writeEnd(directory: RunDirectory, end: RunEnd, more: object = {}): Promise<void> {
  await directory.releaseReserve();
  const own = { name: files.end, path: directory.file(files.end) };
  const others = (await directory.artifacts()).filter(({ name }) => name !== own.name);
  await directory.writeJson(files.end, {
    run_id: directory.id,
    ...more,
    ...endFile(end),
    artifacts: [...others, own],
  });
}

/** The content of `result.json`, except the list of files. */
function endFile(end: RunEnd): object {
  return {
    status: end.status,
    ...end.timing,
    cancelled: end.status === 'cancelled',
    exit_code: end.exitCode,
    signal: end.signal,
    thread_id: end.threadId,
    error: end.error,
    over_budget: end.overBudget,
    ...end.answer,
    usage: end.usage,
    cost_usd: end.costUsd,
    agent: end.agent,
    protocol: end.protocol,
    model: end.model,
    ended_processes: end.ended,
    warnings: end.warnings,
  };
}

export async function readEnd(path: string): Promise<RunEnd | undefined> {
  const file = await readJson(join(path, files.end));
  return file && toEnd(file);
}

/** True if the run in this directory has ended. */
export function hasEnd(path: string): boolean {
  return existsSync(join(path, files.end));
}

function toEnd(file: Contents): RunEnd {
  const error = textIn(file, 'error') ?? null;
  const startedAt = String(file['started_at']);
  const { cost_usd, exit_code, usage, ended_processes } = file;
  // The original of the drop-in contract writes no status.
  const status = file['cancelled'] === true ? 'cancelled' : error === null ? 'completed' : 'failed';
  return {
    status: (textIn(file, 'status') as RunStatus | undefined) ?? status,
    error,
    ...(file['over_budget'] === true && { overBudget: true }),
    threadId: textIn(file, 'thread_id') ?? null,
    answer: asAnswer(file),
    usage: isObject(usage) ? (usage as unknown as Usage) : null,
    ...(cost_usd !== undefined && { costUsd: typeof cost_usd === 'number' ? cost_usd : null }),
    ...present({
      agent: textIn(file, 'agent'),
      protocol: textIn(file, 'protocol'),
      model: textIn(file, 'model'),
    }),
    timing: {
      started_at: startedAt,
      finished_at: String(file['finished_at'] ?? startedAt),
      duration_ms: Number(file['duration_ms'] ?? 0),
    },
    exitCode: typeof exit_code === 'number' ? exit_code : null,
    signal: textIn(file, 'signal') ?? null,
    ended: Array.isArray(ended_processes) ? (ended_processes as EndedProcess[]) : [],
    warnings: textsIn(file, 'warnings'),
  };
}

function textIn(file: Contents | undefined, name: string): string | undefined {
  const value = file?.[name];
  return typeof value === 'string' ? value : undefined;
}

function textsIn(file: Contents, name: string): string[] {
  const value = file[name];
  return Array.isArray(value) ? value.map(String) : [];
}
