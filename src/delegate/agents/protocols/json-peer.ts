import { createInterface } from 'node:readline';
import { Failure } from '../../../failure.ts';
import { isObject, type JsonObject, parseObject } from '../../../json.ts';
import type { AgentStreams } from './agent-conversation.ts';
import type { Message } from './message.ts';

export type RequestId = string | number;

export interface PeerHandlers {
  onNotification(method: string, params: Message): void;
  /** The agent waits until `respond` or `respondWithError` is called with this id. */
  onRequest(id: RequestId, method: string, params: Message): void;
}

/** Exchanges requests and notifications with an agent: one JSON object per line, in the manner of JSON-RPC. */
export class JsonPeer {
  readonly #streams: Pick<AgentStreams, 'input' | 'output'>;
  readonly #pending = new Map<RequestId, PromiseWithResolvers<Message>>();
  readonly #header: JsonObject;
  #count = 0;
  #isClosed = false;

  /** `header` is part of every message. */
  constructor(
    streams: Pick<AgentStreams, 'input' | 'output'>,
    handlers: PeerHandlers,
    header: JsonObject = {},
  ) {
    this.#streams = streams;
    this.#header = header;
    // The agent may exit at any time. The exit itself is reported by its process.
    streams.input.on('error', () => {});
    const lines = createInterface({ input: streams.output, crlfDelay: Number.POSITIVE_INFINITY });
    lines.on('line', (line) => this.#receive(line, handlers));
    lines.on('close', () => {
      this.#isClosed = true;
      for (const { reject } of this.#pending.values()) reject(agentExited());
      this.#pending.clear();
    });
  }

  /** Resolves with the result. Rejects with a failure if the agent answers with an error or exits. */
  async request(method: string, params: JsonObject): Promise<Message> {
    if (this.#isClosed) throw agentExited();
    const id = ++this.#count;
    const pending = Promise.withResolvers<Message>();
    this.#pending.set(id, pending);
    this.#send({ id, method, params });
    return pending.promise;
  }

  notify(method: string, params?: JsonObject): void {
    this.#send({ method, ...(params && { params }) });
  }

  respond(id: RequestId, result: JsonObject): void {
    this.#send({ id, result });
  }

  respondWithError(id: RequestId, message: string): void {
    this.#send({ id, error: { code: -32601, message } });
  }

  #send(message: JsonObject): void {
    if (!this.#isClosed) this.#streams.input.write(`${JSON.stringify({ ...this.#header, ...message })}\n`);
  }

  #receive(line: string, handlers: PeerHandlers): void {
    const message = parseObject(line);
    if (message === undefined) return;
    const id = message['id'] as RequestId | undefined;
    const params = isObject(message['params']) ? message['params'] : {};
    if (typeof message['method'] === 'string') {
      if (id === undefined) handlers.onNotification(message['method'], params);
      else handlers.onRequest(id, message['method'], params);
      return;
    }
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id !== undefined) this.#pending.delete(id);
    const { error, result } = message;
    if (error === undefined) pending?.resolve(isObject(result) ? result : {});
    else pending?.reject(new Failure('refused', describeError(error)));
  }
}

/** Some agents put the reason into the data of the error. */
function describeError(error: unknown): string {
  if (!isObject(error)) return String(error);
  const { message, data } = error;
  const details = isObject(data) ? (data['details'] ?? data['message']) : data;
  return typeof details === 'string' ? `${message}: ${details}` : String(message);
}

/** Thrown for everything that waits for an agent when the agent exits. */
export class AgentExited extends Failure {}

function agentExited(): AgentExited {
  return new AgentExited('refused', 'the agent has exited');
}
