import { resolve } from 'node:path';
import type { ValueOf } from '../../tool.ts';
import type { AutopilotOutput } from '../autopilot/autopilot-output.ts';
import { isInFolder } from '../process/folder-scope.ts';
import type { RunRecord } from '../run/run-record.ts';
import type { runListSchema } from '../run/run-schema.ts';

/** A run as an entry of a list. */
export interface RunOverview extends ValueOf<typeof runListSchema.properties.runs.items> {
  readonly usage: RunRecord['usage'];
  /** Whose run it is, as `identityOf` identifies actors. Absent for the owner and in runs of earlier versions. */
  readonly actor_id?: string;
}

/** Which runs to list. */
export interface RunFilter {
  readonly status?: RunOverview['status'];
  /** An absolute path. Runs in folders below it match too. */
  readonly folder?: string;
  readonly agent?: string;
  /** A part of the task, the summary or the error, in any case. */
  readonly text?: string;
  readonly since?: Date;
  readonly until?: Date;
}

/** `task` is the whole task, which the overview shortens. */
export function matches(run: RunOverview, filter: RunFilter, task = run.task): boolean {
  const { status, folder, agent, text, since, until } = filter;
  const startedAt = Date.parse(run.started_at);
  const found = `${task}\n${run.summary}\n${run.error ?? ''}`.toLowerCase();
  return (
    (status === undefined || run.status === status) &&
    (folder === undefined || isInFolder(run.cwd, resolve(folder))) &&
    (agent === undefined || run.agent === agent) &&
    (text === undefined || found.includes(text.toLowerCase())) &&
    (since === undefined || startedAt >= since.getTime()) &&
    (until === undefined || startedAt <= until.getTime())
  );
}

/** Everything known about a run. */
export interface RunAccount {
  readonly overview: RunOverview;
  readonly record: RunRecord;
  /** Set if the run is an autopilot. */
  readonly autopilot?: AutopilotOutput;
}
