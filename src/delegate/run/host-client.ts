import type { Socket } from 'node:net';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import { log, logFormat, logLevel } from '../../log.ts';
import { storageReason } from '../../storage-error.ts';
import { launch } from '../process/launch.ts';
import { ownProgram } from '../process/own-program.ts';
import { identify, type ProcessIdentity } from '../process/process-table.ts';
import {
  type HostMessage,
  type HostOptions,
  type HostOrder,
  type HostRequest,
  MessageSocket,
  type OrderMessage,
  orderFormat,
} from './host-message.ts';

/** The connection of a server to a run host that it has started. */
export interface HostClient {
  /** The process of the host; `undefined` if it could not be started. */
  readonly identity: ProcessIdentity | undefined;
  /** False if the host has exited. */
  readonly isConnected: boolean;
  /** True if the host has accepted its order. It may have started the agent, so the order must not be given again. */
  readonly hasAccepted: boolean;
  /** Resolves when the host accepts its order. */
  readonly accepted: Promise<void>;
  /** Resolves with the result of the run, or with `undefined` if the host exits without one. */
  carryOut(
    order: Pick<HostOrder, 'run' | 'work' | 'request'>,
    onMessage: (message: HostMessage) => void,
  ): Promise<object | undefined>;
  cancel(reason: string): void;
  /** Closes the connection. A host that has an order carries on; one without an order exits. */
  release(): Promise<void>;
}

/**
 * Starts a run host: a process in its own session, which does not depend on this server. It gets its order over a private
 * connection. Start it as early as possible, because it needs some time to load.
 */
export async function startHost(options: HostOptions): Promise<HostClient> {
  const { NODE_OPTIONS: _, ...env } = options.env;
  const child = await launch(
    { ...ownProgram('run-host'), cwd: options.startedIn, env },
    { detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
  ).catch((error: unknown) => {
    const reason = storageReason(error) ?? messageOf(error);
    throw new Failure('unavailable', `The run host could not be started: ${reason}.`, { cause: error });
  });
  child.once('error', (error) => log('error', 'the run host could not be started', error));
  child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  child.stderr?.on('error', () => {});
  const socket = child.stdio[3] as Socket;
  // A host that waits for its order must not keep this process running.
  child.unref();
  (child.stderr as Socket).unref();
  socket.unref();
  const result = Promise.withResolvers<object | undefined>();
  const accepted = Promise.withResolvers<void>();
  let hasAccepted = false;
  let report: (message: HostMessage) => void = () => {};
  const messages = new MessageSocket<HostMessage, HostRequest>(socket, (message) => {
    if (message.kind === 'accepted') {
      hasAccepted = true;
      accepted.resolve();
    } else if (message.kind === 'result') result.resolve(message.result);
    else if (message.kind === 'failure') result.reject(new Failure('refused', message.message));
    else report(message);
  });
  void messages.closed.then(() => result.resolve(undefined));
  return {
    identity: child.pid === undefined ? undefined : await identify(child.pid),
    get isConnected() {
      return child.exitCode === null && child.signalCode === null && socket.writable;
    },
    get hasAccepted() {
      return hasAccepted;
    },
    accepted: accepted.promise,
    carryOut(order, onMessage) {
      socket.ref();
      report = onMessage;
      messages.send({ ...order, format: orderFormat, options, logLevel: logLevel(), logFormat: logFormat() });
      return result.promise;
    },
    cancel: (reason) => messages.send({ cancel: reason }),
    release: () => messages.end(),
  };
}

/** Asks the host behind a socket to cancel its run. Does nothing if the host has exited. */
export async function cancelThroughSocket(path: string, reason: string): Promise<void> {
  const { connect } = await import('node:net');
  const messages = new MessageSocket<HostMessage, HostRequest>(connect(path), () => {});
  messages.send({ cancel: reason });
  messages.end();
  await messages.closed;
}

/** Sends an order to the host behind a socket. Rejects with the reason why it was not executed. */
export async function orderThroughSocket(path: string, message: OrderMessage): Promise<void> {
  const { connect } = await import('node:net');
  const reply = Promise.withResolvers<void>();
  const messages = new MessageSocket<HostMessage, HostRequest>(connect(path), (received) => {
    if (received.kind !== 'reply') return;
    if (received.problem === undefined) reply.resolve();
    else reply.reject(new Failure('refused', received.problem));
  });
  void messages.closed.then(() => reply.reject(new Failure('refused', `Run ${message.run} has ended.`)));
  messages.send(message);
  try {
    await reply.promise;
  } finally {
    await messages.end();
  }
}
