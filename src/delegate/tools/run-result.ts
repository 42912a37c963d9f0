import { shorten } from '../../paging.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { autopilotReport } from '../autopilot/autopilot-report.ts';
import type { RunOutput } from '../record/run-report.ts';
import { runReport } from '../record/run-report.ts';

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

export function runResult<Run extends RunOutput & { readonly autopilot?: AutopilotOutput }>(
  tool: string,
  run: Run,
  full = false,
) {
  const toText = (one: Run) =>
    one.autopilot === undefined ? runReport(tool, one, true) : autopilotReport(one.autopilot, true);
  return resultOf(run, toText, full);
}

export function autopilotResult(output: AutopilotOutput, full = false) {
  return resultOf(output, (one) => autopilotReport(one, true), full);
}
