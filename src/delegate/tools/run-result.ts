import { present } from '../../json.ts';
import { shorten } from '../../paging.ts';
import { type AutopilotOutput, missingFiles, noDelegation } from '../autopilot/autopilot-output.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { RunRecord } from '../run/run-record.ts';
import { runReport } from '../run/run-report.ts';
import { asSkill } from '../run/skills.ts';

/** The result of a tool that reports a run: the whole, or what fits on a page and how to get the rest. */
function resultOf<Value extends { readonly run_id: string }>(
  whole: Value,
  toText: (value: Value) => string,
  full: boolean,
) {
  const { value, isShortened } = full ? { value: whole, isShortened: false } : shorten(whole, toText);
  const shortened = `Long texts and lists are cut. show_run with run_id ${whole.run_id} and full: true returns everything.`;
  const text = isShortened ? `${toText(value)}\n\n${shortened}` : toText(value);
  return {
    structured: { ...value, ...(isShortened && { shortened }) },
    content: [{ type: 'text' as const, text }],
  };
}

type ShownRun = RunRecord & { readonly autopilot?: AutopilotOutput };

const textOf = (tool: string, withPaths: boolean) => (run: ShownRun) =>
  run.autopilot === undefined
    ? runReport(tool, run, { whole: true, withPaths })
    : autopilotReport(run.autopilot, { whole: true, withPaths });

/** Everything about a run. */
export function shownRun(tool: string, run: ShownRun, full: boolean) {
  return resultOf(run, textOf(tool, true), full);
}

/** A run for the caller that waited for it. Paths of files, texts of skills and empty lists are left out; show_run has them. */
export function runResult(tool: string, run: ShownRun) {
  const { structured, content } = resultOf(run, textOf(tool, false), false);
  const { autopilot, ...record } = structured;
  return {
    structured: { ...briefRun(record), ...(autopilot && { autopilot: briefAutopilot(autopilot) }) },
    content,
  };
}

function briefRun<Run extends Omit<RunRecord, 'status'>>({ artifacts: _, ...run }: Run) {
  const { selected_skills, ended_processes, ...brief } = run;
  return {
    ...brief,
    ...(selected_skills.length > 0 && {
      selected_skills: selected_skills.map(({ name, origin, reason }) => present({ name, origin, reason })),
    }),
    ...(ended_processes.length > 0 && { ended_processes }),
  };
}

function briefAutopilot({ artifacts: _, jobs, ...output }: AutopilotOutput) {
  return { ...output, jobs: jobs.map(briefRun) };
}

export function autopilotResult(output: AutopilotOutput) {
  const { structured, content } = resultOf(
    output,
    (one) => autopilotReport(one, { whole: true, withPaths: false }),
    false,
  );
  return { structured: briefAutopilot(structured), content };
}

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
