import { present } from '../../json.ts';
import { shorten } from '../../paging.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { RunRecord } from '../run/run-record.ts';
import { resultText } from '../run/run-report.ts';

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
    ? resultText(tool, run, withPaths)
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
