import { join } from 'node:path';
import { messageOf, present } from '../../json.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { placeReason, storageReason } from '../../storage-error.ts';
import type { Agent, Usage } from '../agents/agent.ts';
import { usageSince } from '../agents/protocols/agent-event.ts';
import { readJson } from '../process/json-file.ts';
import type { EndedProcess } from '../process/process-end.ts';
import { listRunProcesses } from '../process/process-table.ts';
import type { Redact } from '../process/redaction.ts';
import { compareClaims, type Evidence, uniqueDeliverables, unmetClaims } from '../workspace/evidence.ts';
import { patchFile } from '../workspace/patch.ts';
import type { RunDirectory } from '../workspace/run-directory.ts';
import { branchNote, seenWith, settleRun, waitingNote } from '../workspace/settle.ts';
import { Workspace, workspaceFolder } from '../workspace/workspace.ts';
import type { Exit } from './agent-process.ts';
import { type Answer, asAnswer, validateAnswer } from './answer.ts';
import { type Budgets, budgetWarnings, type Price, priceOf } from './budget.ts';
import { watchCancellation } from './follower.ts';
import { decideOutcome, isThreadId, type Outcome, type Stop, withProblems } from './outcome.ts';
import { endEvent } from './run-events.ts';
import { autopilotOf } from './run-meter.ts';
import { oneLine, type RunProgress } from './run-progress.ts';
import type { RunQueue } from './run-queue.ts';
import { endOf } from './run-record.ts';
import type { RunResult } from './run-request.ts';
import { type AgentStart, readCall, readStart, timingSince, writeEnd, writeThread } from './run-state.ts';

export interface FinishedRun {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly queue: RunQueue;
  readonly redact: Redact;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prices: readonly Price[];
  readonly budgets: Budgets;
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  /** True under the drop-in contract, which repeats the answer of the agent as it is. */
  readonly document: boolean;
  readonly startedAt: Date;
  readonly progress: RunProgress;
  readonly stop?: Stop;
  /** Cancels applying the changes. */
  readonly signal?: AbortSignal;
  readonly spawnError?: string;
  readonly exit?: Exit;
  readonly ended?: readonly EndedProcess[];
  /** True if an event contained a secret. */
  readonly secrets?: boolean;
  /** Resolves to false if the agent cannot start sandboxed commands on this machine. */
  readonly sandboxWorks?: Promise<boolean>;
}

const maxStderrChars = 64 * 1024;

/** Builds and writes the result of a run whose agent has exited. Works from files, so it also works if the run host was killed. */
export async function finishRun(run: FinishedRun): Promise<RunResult> {
  const { directory, agent, queue, progress, redact } = run;
  const start = await readStart(directory.path);
  const { parent, protocol, model } = start ?? {};
  const warnings = [...(start?.warnings ?? [])];
  const requestedThread = parent?.by === 'resume' ? parent.threadId : undefined;
  const label = protocol === undefined ? agent.label : `${agent.name} ${protocol}`;
  const stderr = redact(await readTail(directory.file('stderr.log')));
  const message = await readLastMessage(run);
  const { answer: reported, problem } = await validateAnswer(
    message,
    await readJson(directory.file('subagent_output.schema.json')),
  );
  const answer = run.document ? reported : withUniqueDeliverables(reported, String(start?.cwd));

  const judgement = decideOutcome({
    agent: label,
    progress,
    stop: run.stop,
    spawnError: run.spawnError,
    exit: run.exit,
    requestedThread,
    stderr,
    // Only the document has no place for work whose answer is plain text.
    messageProblem: run.document || message === undefined ? problem : undefined,
  });
  if (judgement.status === 'completed' && problem !== undefined)
    warnings.push(`The answer of ${label} does not have the requested format: ${problem}.`);
  const outcome = judgement.status === 'failed' ? await addAdvice(judgement, run, start?.cwd) : judgement;
  const threadId = progress.threadId ?? requestedThread ?? null;
  if (requestedThread !== undefined && !isThreadId(requestedThread) && threadId !== requestedThread)
    warnings.push(
      `The thread "${requestedThread}" is not an id, and ${label} worked in thread ${threadId}: a new one, if it knows no thread of this name.`,
    );
  const usage = await runUsage(run, threadId, requestedThread, warnings);
  if (outcome.status === 'completed' && start?.sandbox === 'danger-full-access') {
    const left = await listRunProcesses(undefined, directory.id);
    if (left.length > 0)
      warnings.push(
        `Still running: ${left.map(({ pid, command }) => `${oneLine(command, 60)} (${pid})`).join(', ')}`,
      );
  }

  const changes = await recordChanges(run, start, outcome, asAnswer(answer)?.deliverables ?? []);
  const { problems = [], unapplied = [] } = changes ?? {};
  warnings.push(...(changes?.warnings ?? []));
  // The result of the drop-in contract reports no problems of a completed run, but its caller must know what is missing.
  if (run.document && outcome.status === 'completed') warnings.push(...unapplied);
  if (run.exit !== undefined && (await run.sandboxWorks) === false)
    warnings.push(
      'Sandboxed commands do not start on this machine, so the sub-agent could not run any. Run "adjutant doctor" for details.',
    );
  // An agent that cannot write its output may exit without a word.
  const diskReason = outcome.status === 'failed' ? placeReason(directory.path) : undefined;
  const diskProblem = diskReason === undefined ? '' : ` (${directory.path}: ${diskReason})`;
  const result: RunResult = {
    ...withProblems(
      changes?.stop === undefined
        ? { ...outcome, error: outcome.error && outcome.error + diskProblem }
        : { status: changes.stop.status, error: changes.stop.reason },
      [...problems, ...unapplied],
    ),
    threadId,
    lastMessage: message,
    answer,
    usage,
    costUsd: progress.costUsd ?? priceOf(usage ?? undefined, model, agent.name, run.prices) ?? null,
    agent: agent.name,
    ...present({ protocol, model }),
    timing: timingSince(run.startedAt),
    exitCode: run.exit?.code ?? null,
    signal: run.exit?.signal ?? null,
    evidence: changes?.evidence ?? null,
    ended: run.ended ?? [],
    warnings,
  };
  warnings.push(...countSpending(run, result));
  try {
    await redactFiles(run, message);
    if (result.evidence !== null) await directory.writeJson('evidence.json', result.evidence);
    if (changes?.patch !== undefined) await directory.writeText(patchFile, changes.patch);
    if (threadId !== null) await writeThread(directory, threadId);
    await writeEnd(directory, endOf(result), parent && { parent_thread_id: parent.threadId });
  } catch (error) {
    // Return the real outcome even if its files cannot be written (e.g. ENOSPC).
    const reason = describeStorageError(error, directory);
    log('error', `the result of run ${directory.id} could not be written: ${reason}`);
    warnings.push(`The result could not be written: ${reason}`);
  }
  try {
    queue.spending.finish(directory.path, result.status);
    queue.finish(directory.path, await endEvent(queue.events, directory.path));
  } catch (error) {
    log('warning', `run ${directory.id} could not be removed from the queue`, error);
  }
  return result;
}

/** Counts what the run has used. Returns what the user should know about the budgets. */
function countSpending({ directory, queue, budgets }: FinishedRun, result: RunResult): readonly string[] {
  const { usage, costUsd, status, model, agent } = result;
  const milliseconds = result.timing.duration_ms;
  try {
    queue.spending.update(directory.path, usage ?? undefined, costUsd ?? undefined, milliseconds);
    const tokens = usage === null ? 0 : usage.input_tokens + usage.output_tokens;
    const spent = { tokens, usd: costUsd ?? 0, milliseconds };
    const run = { isCompleted: status.startsWith('completed'), name: model ?? agent, usd: costUsd, spent };
    const autopilot = autopilotOf(queue.find(directory.path)?.tool, directory.path);
    return budgetWarnings(run, queue.spending, budgets, { autopilot, now: new Date() });
  } catch (error) {
    log('warning', `what run ${directory.id} has used could not be recorded`, error);
    return [];
  }
}

/** Says that the disk of a run is full, or why else a file could not be written. */
export function describeStorageError(error: unknown, { path }: Pick<RunDirectory, 'path'>): string {
  const reason = storageReason(error, path);
  return reason === undefined ? messageOf(error) : `${path}: ${reason}`;
}

async function readLastMessage({ directory, progress, exit }: FinishedRun): Promise<string | undefined> {
  const { end, lastMessage } = progress;
  // An agent that was killed right after its turn has not written the file yet.
  if (exit === undefined && end?.kind === 'completed' && lastMessage !== undefined) return lastMessage;
  const written = await readRegularFile(directory.file('last_message.json'), maxFileBytes).catch(
    () => undefined,
  );
  return written ?? (end?.kind === 'completed' ? end.message : undefined);
}

async function addAdvice(outcome: Outcome, run: FinishedRun, cwd: string | undefined): Promise<Outcome> {
  const { agent, progress, spawnError } = run;
  const advice = agent.explain?.(outcome.error ?? '');
  if (advice !== undefined) return { ...outcome, error: `${outcome.error} (${advice})` };
  if (progress.threadId !== undefined || spawnError !== undefined) return outcome;
  const workspace = await Workspace.open(run.directory.file(workspaceFolder), run.env);
  const version = await agent.version(String(cwd), workspace?.origin).catch(() => undefined);
  if (version === undefined || version === agent.testedVersion) return outcome;
  return {
    ...outcome,
    error: `${outcome.error} (${agent.name} ${version} is installed; Adjutant was tested with ${agent.testedVersion})`,
  };
}

/** The tokens of this run alone. Some agents report the total of the thread, so the earlier total is subtracted. */
async function runUsage(
  { agent, queue, progress }: FinishedRun,
  threadId: string | null,
  requestedThread: string | undefined,
  warnings: string[],
): Promise<Usage | null> {
  // A session counts the tokens of its own run.
  if (progress.usage !== undefined) {
    const { threadTotal } = progress;
    if (threadId !== null && threadTotal !== undefined) queue.recordUsage(threadId, threadTotal);
    return progress.usage;
  }
  const reported = progress.end?.usage;
  if (agent.usageCovers === 'run') return reported ?? null;
  if (threadId === null) return null;
  const total = reported ?? (await agent.threadTotal?.(threadId).catch(() => undefined));
  if (total === undefined) return null;
  const earlier = queue.threadUsage(threadId);
  queue.recordUsage(threadId, total);
  if (earlier !== undefined) return usageSince(total, earlier);
  if (requestedThread === undefined) return total;
  warnings.push('The token usage of this run is unknown, because its thread was not started by Adjutant.');
  return null;
}

/** Redacts secrets in the files that the agent wrote itself. */
async function redactFiles({ directory, redact, secrets }: FinishedRun, message?: string): Promise<void> {
  if (message !== undefined) await directory.writeText('last_message.json', message);
  const stderr = await readRegularFile(directory.file('stderr.log'), maxFileBytes).catch(() => undefined);
  if (stderr !== undefined && redact(stderr) !== stderr) await directory.writeText('stderr.log', stderr);
  if (!secrets) return;
  const events = await readRegularFile(directory.file('events.jsonl'), maxFileBytes);
  await directory.writeText('events.jsonl', events.split('\n').map(redact).join('\n'));
}

async function readTail(file: string): Promise<string> {
  const text = await readRegularFile(file, maxFileBytes).catch(() => '');
  return text.slice(-maxStderrChars);
}

/** Agents can report a file several times, for example once for each change. */
function withUniqueDeliverables(value: unknown, cwd: string): unknown {
  const answer = asAnswer(value);
  if (answer === undefined) return value;
  return { ...answer, deliverables: uniqueDeliverables(answer.deliverables, cwd) };
}

interface RecordedChanges {
  /** `null` if there is nothing to compare. */
  readonly evidence: Evidence | null;
  readonly patch?: string;
  /** What the agent claims, but is not true or could not be checked. */
  readonly problems: readonly string[];
  /** What is not in the user's folder, and how to get it there. */
  readonly unapplied: readonly string[];
  readonly warnings?: readonly string[];
  /** Set if the run was cancelled before all its changes were applied. */
  readonly stop?: Stop;
}

/** What a run changed. An autopilot applies and judges the changes of its jobs itself. */
async function recordChanges(
  run: FinishedRun,
  start: AgentStart | undefined,
  { status }: Outcome,
  claims: Answer['deliverables'],
): Promise<RecordedChanges | undefined> {
  const { directory, env, stateDir } = run;
  const workspace = await Workspace.open(directory.file(workspaceFolder), env);
  const call = await readCall(directory.path);
  const isJob = call?.tool === 'delegate_autopilot';
  const view = start?.view && (await Workspace.open(join(start.view, workspaceFolder), env));
  if (isJob && (workspace ?? view)) return undefined;
  if (workspace === undefined) return judgeClaims(run, start, status, claims, view || undefined);
  const isCompleted = status === 'completed';
  // The drop-in contract has no tool that could apply the changes later.
  const isWanted = run.document || (isCompleted && workspace.apply === 'auto');
  const end = isWanted ? 'apply' : isCompleted && workspace.apply === 'branch' ? 'branch' : 'keep';
  using cancellation = watchCancellation(run.signal, run.queue, directory.path);
  const { evidence, patch, conflicts, hasChanges, warnings, branch } = await settleRun(workspace, {
    run: directory.id,
    stateDir,
    env,
    end,
    claims,
    subject: String(call?.input['task'] ?? ''),
    // The changes of a run that was cancelled are only kept, which takes little time.
    ...(isCompleted && { signal: cancellation.signal }),
  });
  const { stop } = cancellation;
  const id = directory.id;
  const isWaiting = hasChanges && end === 'keep';
  const notes = [
    ...(branch ? [branchNote(branch.name)] : []),
    ...(isWaiting && isCompleted ? [waitingNote(id)] : []),
  ];
  const isConflict = conflicts.some(({ path }) => path !== workspace.origin);
  const help = isConflict
    ? `"adjutant runs apply ${id}" marks the conflicts in the files; --take run or --take folder decides them.`
    : `"adjutant runs apply ${id}" applies them.`;
  return {
    evidence,
    warnings: [...warnings, ...notes],
    ...(isCompleted && conflicts.length > 0 && stop !== undefined && { stop }),
    ...(patch !== undefined && { patch }),
    problems: unmetClaims(evidence, isCompleted),
    unapplied: [
      ...conflicts.map(({ path, reason }) => `${path} was not applied: ${reason}`),
      ...(conflicts.length > 0 || (isWaiting && !isCompleted) ? [`Its changes are kept; ${help}`] : []),
    ],
  };
}

/** The claims of a run without a workspace: one that could not write, or one that worked in the folder itself. */
async function judgeClaims(
  { document }: FinishedRun,
  start: AgentStart | undefined,
  status: Outcome['status'],
  claims: Answer['deliverables'],
  view: Workspace | undefined,
): Promise<RecordedChanges | undefined> {
  if (start === undefined) return undefined;
  const isReadOnly = start.sandbox === 'read-only';
  // The drop-in contract has no tool that undoes a run, so there the note would say nothing.
  const warnings = isReadOnly || document ? [] : [inPlaceNote];
  if (claims.length === 0) return { evidence: null, problems: [], unapplied: [], warnings };
  const { files, omitted } = await compareClaims(claims, [], start.cwd, isReadOnly);
  const seen = seenWith((await view?.collectChanges()) ?? [], files);
  const evidence: Evidence = { method: 'none', complete: isReadOnly, files: seen, omitted };
  const problems = status === 'completed' ? unmetClaims(evidence, false) : [];
  return { evidence, problems, unapplied: [], warnings };
}

const inPlaceNote =
  'The run worked in the folder itself (danger-full-access). Its changes were not recorded and cannot be undone.';
