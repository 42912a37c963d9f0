import type { Socket } from 'node:net';
import { setTimeout as after } from 'node:timers/promises';
import { parseObject } from '../../json.ts';
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

/** Messages for a reader that has fallen this far behind are dropped, so that it cannot slow down a run. */
const maxUnreadBytes = 4 * 1024 * 1024;

const closeTimeoutMs = 1_000;

/** Sends and receives JSON objects over a socket, one per line. Other lines are ignored. */
export class MessageSocket<Received, Sent> {
  readonly #socket: Socket;
  /** Resolves when the other side has closed the connection or has exited. */
  readonly closed: Promise<void>;
  #partial = '';

  constructor(socket: Socket, onMessage: (message: Received) => void) {
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    socket.setEncoding('utf8');
    // An error is always followed by `close`.
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.on('data', (text: string) => {
      const lines = (this.#partial + text).split('\n');
      this.#partial = lines.pop()!;
      for (const line of lines) {
        const message = parseObject(line);
        if (message !== undefined) onMessage(message as Received);
      }
    });
  }

  /** `isRequired` messages are sent however far the reader has fallen behind. */
  send(message: Sent, isRequired = true): void {
    if (this.#socket.destroyed || (!isRequired && this.#socket.writableLength > maxUnreadBytes)) return;
    this.#socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the other side gets the message even if this process dies, or when the connection is closed. */
  deliver(message: Sent): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) resolve();
      else this.#socket.write(`${JSON.stringify(message)}\n`, () => resolve());
    });
  }

  /** Closes the connection when everything sent has been written, but waits only a moment for a stuck reader. */
  async end(): Promise<void> {
    const written = new Promise<void>((resolve) => this.#socket.end(() => resolve()));
    await Promise.race([written, this.closed, after(closeTimeoutMs, undefined, { ref: false })]);
    this.#socket.destroy();
  }
}
