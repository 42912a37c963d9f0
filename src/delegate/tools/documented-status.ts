import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import type { RunRecord } from '../record/run-record.ts';

/** The delegate contract knows no `completed_with_problems`: the run is completed, and the problems are open questions too. */
export function asDocumentedRun<
  Run extends Pick<RunRecord, 'error' | 'open_questions'> & { readonly status: string },
>(whole: Run): Run {
  const run = withoutAgent(whole);
  if (run.status !== 'completed_with_problems') return run;
  const problems = run.error === null ? [] : [run.error];
  return { ...run, status: 'completed', open_questions: [...run.open_questions, ...problems] };
}

/** The document does not say which agent has done the work. */
function withoutAgent<Run extends object>(run: Run): Run {
  const { agent: _, protocol: __, model: ___, cost_usd: ____, ...rest } = run as Record<string, unknown>;
  return rest as Run;
}

export function asDocumentedAutopilot(output: AutopilotOutput): AutopilotOutput {
  const jobs = output.jobs.map((job) => asDocumentedRun(job));
  if (output.status !== 'completed_with_problems') return { ...output, jobs };
  const { open_questions } = output.aggregate;
  const problems = output.error === null ? [] : [output.error];
  return {
    ...output,
    jobs,
    status: 'completed',
    aggregate: { ...output.aggregate, open_questions: [...open_questions, ...problems] },
  };
}
