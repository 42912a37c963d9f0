import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { missingFiles, noDelegation } from '../autopilot/autopilot-output.ts';
import type { RunRecord } from '../run/run-record.ts';
import { asSkill } from '../run/skills.ts';

/**
 * The delegate contract knows no `completed_with_problems`, and a completed run has no error there. What the server found is in
 * the artifacts `evidence.json` and `result.json`.
 */
export function asDocumentedRun<Run extends Pick<RunRecord, 'error'> & { readonly status: string }>(
  whole: Run,
): Run {
  const run = withoutAgent(whole);
  return run.status === 'completed_with_problems' ? { ...run, status: 'completed', error: null } : run;
}

/** The document does not say which agent has done the work, nor why skills were selected. */
function withoutAgent<Run extends object>(run: Run): Run {
  const { agent: _, protocol: __, model: ___, cost_usd: ____, ...rest } = run as Record<string, unknown>;
  const { selected_skills: skills = [] } = run as Partial<Pick<RunRecord, 'selected_skills'>>;
  return { ...rest, ...(skills.length > 0 && { selected_skills: skills.map(asSkill) }) } as Run;
}

export function asDocumentedAutopilot(output: AutopilotOutput): AutopilotOutput {
  const { aggregate } = output;
  const summary = output.jobs.reduce(
    (text, { title }) => text.replace(`${title} (completed_with_problems): `, () => `${title} (completed): `),
    aggregate.summary.startsWith(noDelegation) ? `${noDelegation}.` : aggregate.summary,
  );
  const found = new Set(output.jobs.flatMap(missingFiles));
  return {
    ...output,
    jobs: output.jobs.map((job) => asDocumentedRun(job)),
    aggregate: {
      ...aggregate,
      summary,
      open_questions: aggregate.open_questions.filter((question) => !found.has(question)),
    },
    ...(output.status === 'completed_with_problems' && { status: 'completed', error: null }),
  };
}
