import { type RunChanges, recordAfter } from '../changes/change-recorder.ts';
import { unmetClaims } from '../changes/evidence.ts';
import { readJson } from '../files/json-file.ts';
import type { Answer } from '../record/answer.ts';
import type { Outcome } from '../record/outcome.ts';
import { deliverRun } from '../workspace/run-delivery.ts';
import { workspaceFolder } from '../workspace/run-place.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { FinishedRun } from './run-finish.ts';

/** What a run changed. An autopilot delivers and judges the changes of its isolated jobs itself. */
export async function recordChanges(
  { directory, env, ignored, stateDir }: Pick<FinishedRun, 'directory' | 'env' | 'ignored' | 'stateDir'>,
  exec: Readonly<Record<string, unknown>> | undefined,
  { status }: Outcome,
  claims: Answer['deliverables'],
): Promise<(RunChanges & { readonly problems: readonly string[] }) | undefined> {
  const couldWrite = exec?.['sandbox'] !== 'read-only';
  const workspace = await Workspace.open(directory.file(workspaceFolder), env);
  if (workspace === undefined) {
    const options = { cwd: String(exec?.['codex_cwd']), env, ignored };
    const changes = await recordAfter(directory, options, claims, couldWrite);
    return changes && { ...changes, problems: unmetClaims(changes.evidence, couldWrite) };
  }
  if ((await readJson(directory.file('request.json')))?.['tool'] === 'delegate_autopilot') return undefined;
  const isWanted = status === 'completed';
  const { evidence, patch, conflicts, hasChanges } = await deliverRun(workspace, {
    run: directory.id,
    stateDir,
    env,
    isWanted,
    claims,
  });
  const kept = `Its changes are kept; "adjutant runs apply ${directory.id}" delivers them.`;
  return {
    evidence,
    ...(patch !== undefined && { patch }),
    problems: [
      ...unmetClaims(evidence, isWanted),
      ...conflicts.map(({ path, reason }) => `${path} was not delivered: ${reason}`),
      ...(conflicts.length > 0 || (!isWanted && hasChanges) ? [kept] : []),
    ],
  };
}
