import { describe, formatFor } from '../run/run-report.ts';
import type { AutopilotOutput, JobResult } from './autopilot-output.ts';
import type { JobSpec } from './plan.ts';

const summaryLength = 400;

type Clip = ReturnType<typeof formatFor>['clip'];
type ReportedAutopilot = Omit<AutopilotOutput, 'warnings'> & Partial<Pick<AutopilotOutput, 'warnings'>>;

/**
 * The text content of an autopilot's result, as the drop-in contract has it. `whole` omits nothing that an agent wrote, for clients
 * that read only the text.
 */
export function autopilotReport(
  output: ReportedAutopilot,
  { whole = false, withPaths = true }: { readonly whole?: boolean; readonly withPaths?: boolean } = {},
): string {
  const { clip, section } = formatFor(whole);
  const { decision, aggregate, warnings = [] } = output;
  return [
    output.comparison === undefined ? 'delegate_autopilot' : 'delegate_compare',
    ...(whole ? [`run_id: ${output.run_id}`] : []),
    `status: ${output.status} (${output.timing.duration_ms}ms)`,
    ...(withPaths ? [`run_dir: ${output.run_dir}`] : []),
    `should_delegate: ${decision.should_delegate}`,
    `reason: ${clip(decision.reason)}`,
    ...(output.error === null ? [] : [`error: ${clip(output.error)}`]),
    '',
    'Autopilot plan:',
    ...orNone(output.plan.jobs.map((job) => planLine(job, clip))),
    '',
    'Subruns:',
    ...orNone(output.jobs.flatMap((job) => jobLines(job, clip, withPaths))),
    '',
    'Aggregate:',
    `summary: ${clip(aggregate.summary, summaryLength)}`,
    '',
    ...section('deliverables', aggregate.deliverables.map(describe)),
    '',
    ...section('open_questions', aggregate.open_questions),
    '',
    ...section('next_actions', aggregate.next_actions),
    ...(warnings.length === 0 ? [] : ['', ...section('warnings', warnings)]),
  ].join('\n');
}

function planLine(
  { id, title, thinking_level, sandbox, skills_mode, max_skills }: JobSpec,
  clip: Clip,
): string {
  return `- ${id}: ${clip(title)} (thinking_level=${thinking_level} sandbox=${sandbox} skills_mode=${skills_mode} max_skills=${max_skills})`;
}

function jobLines(job: JobResult, clip: Clip, withPaths: boolean): string[] {
  const lines = [
    `- ${job.id}: ${job.status} (${job.timing.duration_ms}ms) subagent_thread_id=${clip(job.subagent_thread_id ?? '(none)')}`,
    `  summary: ${clip(job.summary)}`,
    ...(job.error === null ? [] : [`  error: ${clip(job.error)}`]),
  ];
  if (!withPaths) return lines;
  const pointers = [
    'last_message.json',
    ...(job.status === 'completed' ? [] : ['stderr.log', 'result.json']),
  ];
  const began = job.status !== 'skipped' && job.status !== 'waiting';
  return [
    ...lines,
    `  run_dir: ${job.run_dir}`,
    ...(began ? pointers.map((name) => `  ${name}: ${job.run_dir}/${name}`) : []),
    ...(job.patch === undefined || job.patch.applied ? [] : [`  patch: ${job.patch.path}`]),
  ];
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? ['- (none)'] : lines;
}
