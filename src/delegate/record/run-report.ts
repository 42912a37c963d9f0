import type { Artifact } from '../files/run-directory.ts';
import type { Deliverable } from './answer.ts';
import type { RunStatus } from './outcome.ts';
import { oneLine } from './run-progress.ts';
import type { Timing } from './run-request.ts';

/** Result of a run, as the tools return it. */
export interface RunOutput {
  readonly run_id: string;
  readonly run_dir: string;
  readonly subagent_thread_id: string | null;
  readonly summary: string;
  readonly deliverables: readonly Deliverable[];
  readonly open_questions: readonly string[];
  readonly next_actions: readonly string[];
  readonly artifacts: readonly Artifact[];
  readonly timing: Timing;
  readonly status: RunStatus | 'running';
  readonly error: string | null;
  readonly warnings?: readonly string[];
}

const lineLength = 200;
const listLength = 5;

/** Formats the result of a run as text. */
export function runReport(tool: string, output: RunOutput): string {
  return [
    tool,
    `status: ${output.status} (${output.timing.duration_ms}ms)`,
    `run_dir: ${output.run_dir}`,
    `subagent_thread_id: ${output.subagent_thread_id ?? '(none)'}`,
    ...(output.error === null ? [] : [`error: ${clip(output.error)}`]),
    '',
    `summary: ${clip(output.summary)}`,
    '',
    ...section('deliverables', output.deliverables.map(describe)),
    '',
    ...section('open_questions', output.open_questions),
    '',
    ...section('next_actions', output.next_actions),
    '',
    ...(output.warnings?.length ? [...section('warnings', output.warnings), ''] : []),
    'Debug pointers:',
    ...debugFiles(output).map((name) => `- ${name}: ${output.run_dir}/${name}`),
  ].join('\n');
}

function debugFiles({ status, artifacts }: RunOutput): readonly string[] {
  if (status === 'completed') return ['last_message.json'];
  const useful = ['last_message.json', 'stderr.log', status === 'running' ? 'events.jsonl' : 'result.json'];
  return useful.filter((name) => artifacts.some((artifact) => artifact.name === name));
}

export function describe({ path, description }: Deliverable): string {
  return `${path} — ${description}`;
}

/** Formats a list: heading with count, first items, number of omitted items. */
export function section(name: string, items: readonly string[]): string[] {
  const shown = items.slice(0, listLength).map((item) => `- ${clip(item)}`);
  const more = items.length > listLength ? [`... (+${items.length - listLength} more)`] : [];
  return [`${name} (${items.length}):`, ...(items.length === 0 ? ['- (none)'] : [...shown, ...more])];
}

export function clip(text: string, maxLength = lineLength): string {
  return oneLine(text, maxLength);
}
