export interface RunOverview {
  readonly run_id: string;
  readonly tool: string;
  readonly status: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly subagent_thread_id: string | null;
  readonly cwd: string;
  readonly task: string;
  readonly summary: string;
  readonly error: string | null;
  readonly usage?: Usage | null;
  /** The machine that has it, where that is another than the server's. */
  readonly host?: string;
}

interface Outcome {
  readonly summary: string;
  readonly deliverables: readonly { readonly path: string; readonly description: string }[];
  readonly open_questions: readonly string[];
  readonly next_actions: readonly string[];
}

export interface Timing {
  readonly started_at: string;
  readonly finished_at: string;
  readonly duration_ms: number;
}

export interface Evidence {
  readonly files: readonly { readonly path: string; readonly status: string; readonly change?: string }[];
  readonly checks?: readonly { readonly command: string; readonly status: string }[];
}

export interface Usage {
  /** With those that were cached. */
  readonly input_tokens: number;
  readonly cached_input_tokens?: number;
  readonly output_tokens: number;
}

export interface Artifact {
  readonly name: string;
  readonly path: string;
}

export interface RunRecord extends Outcome {
  readonly run_id: string;
  readonly run_dir: string;
  readonly artifacts: readonly Artifact[];
  readonly timing: Timing;
  readonly status: string;
  readonly error: string | null;
  readonly warnings?: readonly string[];
  readonly usage?: Usage | null;
  readonly evidence?: Evidence | null;
  readonly autopilot?: Autopilot;
}

/** What an autopilot has beyond any other run. */
export interface Autopilot {
  readonly decision: { readonly should_delegate: boolean; readonly reason: string };
  readonly plan: { readonly jobs: readonly JobSpec[]; readonly source: string };
  readonly jobs: readonly JobResult[];
  readonly aggregate: Outcome;
}

export interface JobSpec {
  readonly id: string;
  readonly title: string;
  readonly sandbox: string;
  readonly depends_on?: readonly string[];
}

export interface JobResult extends Outcome {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly timing: Timing;
  readonly error: string | null;
  readonly usage?: Usage | null;
  readonly evidence?: Evidence | null;
  readonly artifacts: readonly Artifact[];
  readonly patch?: { readonly applied: boolean; readonly conflicts: readonly string[] };
}

/** What was seen of a run; of an autopilot, what was seen of its jobs. */
export function evidenceOf({ evidence, autopilot }: RunRecord): Evidence | null | undefined {
  if (autopilot === undefined) return evidence;
  const all = autopilot.jobs.flatMap((job) => job.evidence ?? []);
  return { files: all.flatMap(({ files }) => files), checks: all.flatMap(({ checks = [] }) => checks) };
}

export function isOpen(status: string): boolean {
  return status === 'running' || status === 'waiting';
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

/** `12.4k tok`: as much as fits into a list. */
export function tokens({ input_tokens, output_tokens }: Usage): string {
  const total = input_tokens + output_tokens;
  if (total < 1000) return `${total} tok`;
  return total < 999_500 ? `${short(total / 1000)}k tok` : `${short(total / 1_000_000)}M tok`;
}

function short(value: number): string {
  return value < 99.95 ? value.toFixed(1).replace(/\.0$/, '') : value.toFixed(0);
}

/** What went in, from the cache and out, in full. */
export function tokensInFull({ input_tokens, cached_input_tokens = 0, output_tokens }: Usage): string {
  const cached = cached_input_tokens > 0 ? ` (${cached_input_tokens.toLocaleString()} of it cached)` : '';
  return `${input_tokens.toLocaleString()} in${cached}, ${output_tokens.toLocaleString()} out`;
}
