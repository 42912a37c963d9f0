import type { ToolAnswer } from '../../../api.ts';

export type RunOverview = ToolAnswer<'list_runs'>['runs'][number];
export type RunRecord = ToolAnswer<'show_run'>;
export type Artifact = RunRecord['artifacts'][number];
export type Usage = NonNullable<RunRecord['usage']>;
export type Evidence = NonNullable<RunRecord['evidence']>;

/** Additional data of an autopilot run. */
export type Autopilot = NonNullable<RunRecord['autopilot']>;
export type JobSpec = Autopilot['plan']['jobs'][number];
export type JobResult = Autopilot['jobs'][number];
export type Comparison = NonNullable<Autopilot['comparison']>;

/** The part of the evidence that the page shows. */
export type Findings = Pick<Evidence, 'files' | 'checks'>;

/** The evidence of a run. For an autopilot run, the combined evidence of its jobs. */
export function collectEvidence({ evidence, autopilot }: RunRecord): Findings | null | undefined {
  if (autopilot === undefined) return evidence;
  const all = autopilot.jobs.flatMap((job) => job.evidence ?? []);
  // Several jobs can change the same file, and only one of them may have reported it.
  const found = all.flatMap(({ files }) => files);
  const reported = found.filter(({ status }) => status !== 'unreported');
  const files = uniqueBy([...reported, ...found], ({ path }) => path);
  return {
    files,
    checks: uniqueBy(
      all.flatMap(({ checks = [] }) => checks),
      ({ command, status }) => `${status} ${command}`,
    ),
  };
}

/** Keeps the first of all items with the same key. */
function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}

export function isOpen(status: string): boolean {
  return status === 'running' || status === 'waiting' || status === 'interrupted';
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 90) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 90
    ? `${minutes} min ${Math.floor(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Short token count for lists, such as `12.4k tok`. */
export function tokens({ input_tokens, output_tokens }: Usage): string {
  const total = input_tokens + output_tokens;
  if (total < 1000) return `${total} tok`;
  return total < 999_500 ? `${short(total / 1000)}k tok` : `${short(total / 1_000_000)}M tok`;
}

function short(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
}

/** Exact input, cached and output tokens. */
export function tokensInFull({ input_tokens, cached_input_tokens = 0, output_tokens }: Usage): string {
  const cached = cached_input_tokens > 0 ? ` (${cached_input_tokens.toLocaleString()} cached)` : '';
  return `${input_tokens.toLocaleString()} in${cached}, ${output_tokens.toLocaleString()} out`;
}
