import type { Deliverable } from './answer.ts';
import type { EventLine } from './event-lines.ts';
import { lineEnd, oneLine, quoteLines } from './run-progress.ts';
import type { RunRecord } from './run-record.ts';

/** The part of a run that reports show. */
export type RunOutput = Omit<
  RunRecord,
  'selected_skills' | 'usage' | 'warnings' | 'evidence' | 'ended_processes'
> &
  Partial<Pick<RunRecord, 'warnings' | 'evidence'>>;

const lineLength = 200;
const listLength = 5;

/**
 * The text content of a run's result, as the drop-in contract has it. `whole` omits nothing that an agent wrote, and no lists but
 * empty ones, for clients that read only the text.
 */
export function runReport(
  tool: string,
  output: RunOutput,
  { whole = false, withPaths = true }: { readonly whole?: boolean; readonly withPaths?: boolean } = {},
): string {
  const { clip, section } = formatFor(whole);
  const { run_id, status, timing, subagent_thread_id: thread, error, evidence, warnings = [] } = output;
  const list = (name: string, items: readonly string[], isOptional = whole) =>
    isOptional && items.length === 0 ? [] : ['', ...section(name, items)];
  return [
    tool,
    ...(whole ? [`run_id: ${run_id}`] : []),
    `status: ${status} (${timing.duration_ms}ms)`,
    ...(withPaths ? [`run_dir: ${output.run_dir}`] : []),
    ...(whole && thread === null ? [] : [`subagent_thread_id: ${clip(thread ?? '(none)')}`]),
    ...(error === null ? [] : [`error: ${clip(error)}`]),
    '',
    `summary: ${clip(output.summary)}`,
    ...list('deliverables', output.deliverables.map(describe)),
    ...list('open_questions', output.open_questions),
    ...list('next_actions', output.next_actions),
    ...(whole ? list('changed_files', evidence?.files.map(changeLine) ?? []) : []),
    ...list('warnings', warnings, true),
    ...(withPaths ? ['', ...debugPointers(output)] : []),
  ].join('\n');
}

function debugPointers(output: RunOutput): readonly string[] {
  return ['Debug pointers:', ...debugFiles(output).map((name) => `- ${name}: ${output.run_dir}/${name}`)];
}

function debugFiles({ status, artifacts }: RunOutput): readonly string[] {
  if (status === 'completed') return ['last_message.json'];
  const useful = [
    'last_message.json',
    'stderr.log',
    status === 'running' || status === 'interrupted' ? 'events.jsonl' : 'result.json',
  ];
  return useful.filter((name) => artifacts.some((artifact) => artifact.name === name));
}

export function describe({ path, description }: Deliverable): string {
  return `${path} — ${description}`;
}

function changeLine({ path, status }: { readonly path: string; readonly status: string }): string {
  return `${path} (${status})`;
}

/** The events of a run as lines of text, with their times and the end of the output of commands. */
export function eventsText(events: readonly Omit<EventLine, 'line'>[]): string {
  const lines: string[] = [];
  let item: string | undefined;
  for (const event of events.filter((one) => one.text !== '')) {
    const { time, kind, output } = event;
    const text = quoteLines(event.text);
    const isDelta = kind?.startsWith('delta.') === true;
    if (isDelta && item === event.item) lines.push(`${lines.pop()}${text}`);
    else lines.push(`${time === undefined ? '' : `${time.slice(11, 19)} `}${isDelta ? '… ' : ''}${text}`);
    item = isDelta ? event.item : undefined;
    const shown = output?.trimEnd().split(lineEnd).slice(-shownOutputLines) ?? [];
    lines.push(...shown.filter((line) => line !== '').map((line) => `         ${line}`));
  }
  return lines.join('\n') || 'No events yet.';
}

const shownOutputLines = 20;

/** One run in a list, as one line of text. */
export function overviewLine(run: {
  readonly run_id: string;
  readonly status: string;
  readonly duration_ms: number;
  readonly task: string;
  readonly summary: string;
  readonly host?: string;
}): string {
  const { run_id, status, duration_ms, task, summary, host } = run;
  return `${run_id}  ${status}  ${(duration_ms / 1000).toFixed(1)} s${host === undefined ? '' : `  on ${host}`}  ${task || summary}`;
}

/** Formats texts and lists of an agent: in full with quoted lines, or cut to some lines of limited length. */
export function formatFor(whole: boolean) {
  const clip = (text: string, maxLength = lineLength) =>
    whole ? quoteLines(text) : oneLine(text, maxLength);
  /** Formats a list: heading with count, first items, number of omitted items. */
  const section = (name: string, items: readonly string[]): string[] => {
    const length = whole ? items.length : listLength;
    const shown = items.slice(0, length).map((item) => `- ${clip(item)}`);
    const more = items.length > length ? [`... (+${items.length - length} more)`] : [];
    return [`${name} (${items.length}):`, ...(items.length === 0 ? ['- (none)'] : [...shown, ...more])];
  };
  return { clip, section };
}
