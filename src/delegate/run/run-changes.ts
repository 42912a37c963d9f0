import { messageOf } from '../../json.ts';
import { log } from '../../log.ts';
import type { ReportedWrite } from '../agents/agent.ts';
import { type RunChanges, recordAfter } from '../changes/change-recorder.ts';
import { unmetClaims } from '../changes/evidence.ts';
import { EventFile } from '../files/event-file.ts';
import { readJson } from '../files/json-file.ts';
import type { Answer } from '../record/answer.ts';
import type { Outcome, Stop } from '../record/outcome.ts';
import { deliverRun } from '../workspace/run-delivery.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import { Workspace } from '../workspace/workspace.ts';
import { watchCancellation } from './follower.ts';
import type { FinishedRun } from './run-finish.ts';

export interface RecordedChanges extends Pick<RunChanges, 'patch'> {
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
export async function recordChanges(
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
