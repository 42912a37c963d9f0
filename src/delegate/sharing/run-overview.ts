import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import type { RunRecord } from '../record/run-record.ts';

/** A run as an entry of a list. */
export interface RunOverview {
  readonly run_id: string;
  readonly tool: string;
  readonly status: RunRecord['status'] | 'waiting';
  readonly started_at: string;
  readonly duration_ms: number;
  /** Tokens of this run; `null` if unknown. */
  readonly usage: RunRecord['usage'];
  readonly subagent_thread_id: string | null;
  readonly cwd: string;
  readonly task: string;
  readonly summary: string;
  readonly error: string | null;
  /** The host name of the machine that has the run, if it is another machine. */
  readonly host?: string;
  /** The token or OAuth subject that started the run. Absent for the owner. */
  readonly actor?: string;
  /** Whose run it is, as `identityOf` identifies actors. Absent for the owner and in runs of earlier versions. */
  readonly actor_id?: string;
}

/** Everything known about a run. */
export interface RunAccount {
  readonly overview: RunOverview;
  readonly record: RunRecord;
  /** Set if the run is an autopilot. */
  readonly autopilot?: AutopilotOutput;
}
