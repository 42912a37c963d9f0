import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';
import { placeReason, storageReason } from '../../storage-error.ts';
import type { Agent, ReportedWrite, Usage } from '../agents/agent.ts';
import { discardBefore, type RunChanges, recordAfter } from '../changes/change-recorder.ts';
import { unmetClaims } from '../changes/evidence.ts';
import { patchFile } from '../changes/patch.ts';
import { EventFile } from '../files/event-file.ts';
import { readJson } from '../files/json-file.ts';
import type { Redact } from '../files/redaction.ts';
import type { RunDirectory } from '../files/run-directory.ts';
import type { Exit } from '../process/agent-process.ts';
import type { EndedProcess } from '../process/process-end.ts';
import { listRunProcesses } from '../process/process-table.ts';
import { type Answer, asAnswer } from '../record/answer.ts';
import { validateAnswer } from '../record/answer-check.ts';
import { withUniqueDeliverables } from '../record/deliverables.ts';
import { decideOutcome, isThreadId, type Outcome, type Stop, withProblems } from '../record/outcome.ts';
import { oneLine, type RunProgress } from '../record/run-progress.ts';
import { resultFields } from '../record/run-record.ts';
import type { RunResult } from '../record/run-request.ts';
import { usageSince } from '../session/usage.ts';
import { deliverRun } from '../workspace/run-delivery.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import { Workspace } from '../workspace/workspace.ts';
import { type Budgets, budgetWarnings, type Price, priceOf } from './budget.ts';
import { watchCancellation } from './follower.ts';
import { autopilotOf } from './run-meter.ts';
import type { RunQueue } from './run-queue.ts';

export interface FinishedRun {
  readonly directory: RunDirectory;
  readonly agent: Agent;
  readonly queue: RunQueue;
  readonly redact: Redact;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prices: readonly Price[];
  readonly budgets: Budgets;
  /** Folders whose changes do not count as changes of the run. */
  readonly ignored: readonly string[];
  /** The folder that all servers of the user share. */
  readonly stateDir: string;
  /** True under the drop-in contract, which repeats the answer of the agent as it is. */
  readonly document: boolean;
  readonly startedAt: Date;
  readonly progress: RunProgress;
  readonly stop?: Stop;
  /** Cancels the delivery of the changes. */
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
  const exec = await readJson(directory.file('codex_exec.json'));
  const warnings: string[] = Array.isArray(exec?.['warnings']) ? exec['warnings'].map(String) : [];
  const [subcommand, parentThread] = (exec?.['subcommand_args'] ?? []) as readonly string[];
  const requestedThread = subcommand === 'fork' ? undefined : parentThread;
  const label = typeof exec?.['protocol'] === 'string' ? `${agent.name} ${exec['protocol']}` : agent.label;
  const stderr = redact(await readTail(directory.file('stderr.log')));
  const message = await readLastMessage(run);
  const { answer: reported, problem } = await validateAnswer(
    message,
    await readJson(directory.file('subagent_output.schema.json')),
  );
  const answer = run.document ? reported : withUniqueDeliverables(reported, String(exec?.['codex_cwd']));

  const judgement = decideOutcome({
    agent: label,
    progress,
    stop: run.stop,
    spawnError: run.spawnError,
    exit: run.exit,
    requestedThread,
    stderr,
    messageProblem: problem,
  });
  const outcome =
    judgement.status === 'failed' ? await addAdvice(judgement, run, exec?.['codex_cwd']) : judgement;
  const threadId = progress.threadId ?? requestedThread ?? null;
  if (requestedThread !== undefined && !isThreadId(requestedThread) && threadId !== requestedThread)
    warnings.push(
      `The thread "${requestedThread}" is not an id, and ${label} worked in thread ${threadId}: a new one, if it knows no thread of this name.`,
    );
  const usage = await runUsage(run, threadId, requestedThread, warnings);
  if (outcome.status === 'completed' && exec?.['sandbox'] === 'danger-full-access') {
    const left = await listRunProcesses(undefined, directory.id);
    if (left.length > 0)
      warnings.push(
        `Still running: ${left.map(({ pid, command }) => `${oneLine(command, 60)} (${pid})`).join(', ')}`,
      );
  }

  const changes = await recordChanges(run, exec, outcome, asAnswer(answer)?.deliverables ?? []);
  const { problems = [], undelivered = [] } = changes ?? {};
  warnings.push(...(changes?.warnings ?? []));
  // The result of the drop-in contract reports no problems of a completed run, but its caller must know what is missing.
  if (run.document && outcome.status === 'completed') warnings.push(...undelivered);
  if (run.exit !== undefined && (await run.sandboxWorks) === false)
    warnings.push(
      'Sandboxed commands do not start on this machine, so the sub-agent could not run any. Run "adjutant doctor" for details.',
    );
  const finishedAt = new Date();
  const model = typeof exec?.['model'] === 'string' ? exec['model'] : undefined;
  // An agent that cannot write its output may exit without a word.
  const diskReason = outcome.status === 'failed' ? placeReason(directory.path) : undefined;
  const diskProblem = diskReason === undefined ? '' : ` (${directory.path}: ${diskReason})`;
  const result: RunResult = {
    ...withProblems(
      changes?.stop === undefined
        ? { ...outcome, error: outcome.error && outcome.error + diskProblem }
        : { status: changes.stop.status, error: changes.stop.reason },
      [...problems, ...undelivered],
    ),
    threadId,
    lastMessage: message,
    answer,
    usage,
    costUsd: progress.costUsd ?? priceOf(usage ?? undefined, model, agent.name, run.prices) ?? null,
    agent: agent.name,
    ...(typeof exec?.['protocol'] === 'string' && { protocol: exec['protocol'] }),
    ...(model !== undefined && { model }),
    timing: {
      started_at: run.startedAt.toISOString(),
      finished_at: finishedAt.toISOString(),
      duration_ms: Math.max(0, finishedAt.getTime() - run.startedAt.getTime()),
    },
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
    if (threadId !== null) await directory.writeJson('thread.json', { thread_id: threadId });
    await writeResult(directory, result, parentThread);
    await discardBefore(directory);
  } catch (error) {
    // Return the real outcome even if its files cannot be written (e.g. ENOSPC).
    const reason = describeStorageError(error, directory);
    log('error', `the result of run ${directory.id} could not be written: ${reason}`);
    warnings.push(`The result could not be written: ${reason}`);
  }
  try {
    queue.spending.finish(directory.path, result.status);
    queue.finish(directory.path);
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

async function writeResult(
  directory: RunDirectory,
  result: RunResult,
  parentThread: string | undefined,
): Promise<void> {
  const resultFile = { name: 'result.json', path: directory.file('result.json') };
  const artifacts = [
    ...(await directory.artifacts()).filter(({ name }) => name !== resultFile.name),
    resultFile,
  ];
  await directory.writeJson('result.json', {
    run_id: directory.id,
    ...resultFields(result),
    ...(parentThread !== undefined && { parent_thread_id: parentThread }),
    artifacts,
  });
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

async function addAdvice(outcome: Outcome, run: FinishedRun, cwd: unknown): Promise<Outcome> {
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

interface RecordedChanges extends Pick<RunChanges, 'patch'> {
  /** `null` if the changes could not be examined, which is a problem. */
  readonly evidence: RunChanges['evidence'] | null;
  /** What the agent claims, but is not true or could not be checked. */
  readonly problems: readonly string[];
  /** What is not in the user's folder, and how to get it there. */
  readonly undelivered: readonly string[];
  readonly warnings?: readonly string[];
  /** Set if the run was cancelled before all its changes were delivered. */
  readonly stop?: Stop;
}

/** What a run changed. An autopilot delivers and judges the changes of its isolated jobs itself. */
async function recordChanges(
  run: FinishedRun,
  exec: Readonly<Record<string, unknown>> | undefined,
  { status }: Outcome,
  claims: Answer['deliverables'],
): Promise<RecordedChanges | undefined> {
  const { directory, env, ignored, stateDir } = run;
  const couldWrite = exec?.['sandbox'] !== 'read-only';
  const workspace = await Workspace.open(directory.file(workspaceFolder), env);
  if (workspace === undefined) {
    const options = { cwd: String(exec?.['codex_cwd']), env, ignored };
    const writes = couldWrite ? await reportedWrites(run) : [];
    try {
      const changes = await recordAfter(directory, options, claims, couldWrite, writes);
      const problems = changes === undefined ? [] : unmetClaims(changes.evidence, couldWrite);
      return changes && { ...changes, problems, undelivered: [] };
    } catch (error) {
      // A run that failed or was cancelled has a reason that says more.
      if (status !== 'completed') return undefined;
      log('warning', `run ${directory.id} has no evidence: its folder could not be examined`, error);
      const problem = `the changes of the run could not be examined: ${messageOf(error)}`;
      return { evidence: null, problems: [problem], undelivered: [] };
    }
  }
  if ((await readJson(directory.file('request.json')))?.['tool'] === 'delegate_autopilot') return undefined;
  const isWanted = status === 'completed';
  using cancellation = watchCancellation(run.signal, run.queue, directory.path);
  const { evidence, patch, conflicts, hasChanges, warnings } = await deliverRun(workspace, {
    run: directory.id,
    stateDir,
    env,
    isWanted,
    claims,
    // The changes of a run that has failed or was cancelled are only kept, which takes little time.
    ...(isWanted && { signal: cancellation.signal }),
  });
  const { stop } = cancellation;
  const kept = `Its changes are kept; "adjutant runs apply ${directory.id}" delivers them.`;
  return {
    evidence,
    warnings,
    ...(isWanted && conflicts.length > 0 && stop !== undefined && { stop }),
    ...(patch !== undefined && { patch }),
    problems: unmetClaims(evidence, isWanted),
    undelivered: [
      ...conflicts.map(({ path, reason }) => `${path} was not delivered: ${reason}`),
      ...(conflicts.length > 0 || (!isWanted && hasChanges) ? [kept] : []),
    ],
  };
}

/** Reads the files that the agent wrote. They still contain the secrets that are redacted later. */
async function reportedWrites({
  agent,
  directory,
  progress,
  startedAt,
}: FinishedRun): Promise<readonly ReportedWrite[]> {
  const events = new EventFile(directory.file('events.jsonl')).lines();
  if (agent.writes !== undefined)
    return agent.writes({ events, threadId: progress.threadId, since: startedAt });
  const paths = new Set<string>();
  for await (const line of events)
    for (const event of agent.parse(line))
      if (event.kind === 'item' && event.phase === 'completed' && event.item.type === 'files')
        for (const { path } of event.item.changes) paths.add(path);
  return [...paths].map((path) => ({ path }));
}
