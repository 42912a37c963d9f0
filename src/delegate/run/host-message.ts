import type { LogFormat, LogLevel } from '../../log.ts';
import type { AgentEvent } from '../agents/agent.ts';
import type { RunOrder } from '../agents/protocols/approval.ts';
import type { DelegateOptions } from './delegate-options.ts';

/** Changes when a server and a run host of different versions no longer understand each other. */
export const orderFormat = 3;

/** The options that a run host needs. They are sent as JSON, so they contain no functions. */
export type HostOptions = Omit<DelegateOptions, 'records' | 'expandText' | 'librarySkills' | 'outreach'>;

/** What a run host has to do. It is the first message to a host. */
export interface HostOrder {
  readonly format: number;
  readonly options: HostOptions;
  readonly logLevel: LogLevel;
  /** Absent in orders of earlier versions. */
  readonly logFormat?: LogFormat;
  readonly run: { readonly path: string; readonly id: string };
  /** `resume` continues an autopilot whose host was killed. */
  readonly work: 'run' | 'autopilot' | 'resume';
  /** The request of the run or the autopilot. Absent to resume. */
  readonly request?: object;
}

export interface Cancellation {
  readonly cancel: string;
}

/** An order for the run, or for the job of an autopilot, with this id. The host replies to the sender. */
export interface OrderMessage {
  readonly order: RunOrder;
  readonly run: string;
}

/** What a run host accepts. */
export type HostRequest = HostOrder | Cancellation | OrderMessage;

/** The job of an autopilot that a message is about. */
export interface JobLabel {
  readonly id: string;
  readonly title: string;
}

/** What a run host reports to every server that is connected to it. */
export type HostMessage =
  /** The first message, before any work: from now on, no other host may get the order. */
  | { readonly kind: 'accepted' }
  | { readonly kind: 'state'; readonly state: 'waiting' | 'running'; readonly job?: JobLabel }
  | { readonly kind: 'event'; readonly event: AgentEvent; readonly job?: JobLabel }
  | { readonly kind: 'job-finished'; readonly status: string; readonly job: JobLabel }
  /** To the sender of an order. `problem` says why it was not executed. */
  | { readonly kind: 'reply'; readonly problem?: string }
  /** The last message: a `RunResult` or an `AutopilotOutput`. */
  | { readonly kind: 'result'; readonly result: object }
  /** The last message of a host that failed. */
  | { readonly kind: 'failure'; readonly message: string };
