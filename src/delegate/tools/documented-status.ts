import { missingFiles } from '../autopilot/aggregate.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import type { RunRecord } from '../record/run-record.ts';

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

/** The document does not say which agent has done the work. */
function withoutAgent<Run extends object>(run: Run): Run {
  const { agent: _, protocol: __, model: ___, cost_usd: ____, ...rest } = run as Record<string, unknown>;
  return rest as Run;
}

export function asDocumentedAutopilot(output: AutopilotOutput): AutopilotOutput {
  const { aggregate } = output;
  const summary = output.jobs.reduce(
    (text, { title }) => text.replace(`${title} (completed_with_problems): `, () => `${title} (completed): `),
    aggregate.summary,
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
