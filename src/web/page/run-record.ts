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
  readonly checks?: readonly {
    readonly command?: string;
    readonly check?: string;
    readonly passed?: boolean;
    readonly status?: string;
  }[];
}

export interface Usage {
  readonly input_tokens: number;
  readonly output_tokens: number;
}

export interface RunRecord extends Partial<Outcome> {
  readonly run_id: string;
  readonly run_dir: string;
  readonly subagent_thread_id?: string | null;
  readonly artifacts: readonly { readonly name: string; readonly path: string }[];
  readonly timing: Timing;
  readonly status: string;
  readonly error: string | null;
  readonly usage?: Usage | null;
  readonly evidence?: Evidence | null;
  readonly decision?: { readonly should_delegate: boolean; readonly reason: string };
  readonly plan?: { readonly jobs: readonly JobSpec[]; readonly source?: string };
  readonly jobs?: readonly JobResult[];
  readonly aggregate?: Outcome;
}

export interface JobSpec {
  readonly id: string;
  readonly title: string;
  readonly sandbox: string;
  readonly depends_on?: readonly string[];
}

export interface JobResult extends Partial<Outcome> {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly timing: Timing;
  readonly error: string | null;
  readonly evidence?: Evidence | null;
}

export function isOpen(status: string): boolean {
  return status === 'running' || status === 'waiting';
}

export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  return seconds < 90
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}
