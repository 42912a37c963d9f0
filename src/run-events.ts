/** What happened to a run and concerns a person. Run hosts write these events as rows, because they are other processes. */
export interface RunEvent {
  /** Unique, such as `run/ID/finished` or `run/ID/approval/ID`: a kind happens to a run or a request at most once. */
  readonly id: string;
  /** A run, or a job of an autopilot, such as `ID/JOB`. */
  readonly runId: string;
  readonly kind: RunEventKind;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Who started the run, as in `identityOf`. */
  readonly actor: string;
  /** The name of the folder in which the run works. */
  readonly folder: string;
  /** Id of the person to notify; absent if nobody is. */
  readonly notify?: string;
  /** The request that waits for an answer. */
  readonly request?: string;
  /** When the request expires. */
  readonly expiresMs?: number;
}

export type RunEventKind = 'finished' | 'failed' | 'over_budget' | 'asks_permission' | 'has_questions';
