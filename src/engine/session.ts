import { legacyVersions, modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Change, Client, ProtocolLogLevel } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import { InputRequired, ownParams, RequestContext } from './context.ts';
import { reportFailure } from './failure-report.ts';
import { classify, notification, type RequestId, type RequestMessage, resultMessage } from './message.ts';
import { type Builtin, builtins } from './methods.ts';
import { claimedVersion, finishResult, metaKeys, parseEnvelope, unsupportedVersion } from './modern.ts';
import { Questions } from './questions.ts';
import { parseValue } from './schema.ts';
import type { Server } from './server.ts';
import { untilAborted } from './until-aborted.ts';

/** Takes what the server says on its own: notifications and requests, told which request they belong to. */
export type Outlet = (message: JsonObject, relatedTo?: RequestId) => void;

export interface SessionOptions {
  /** Fixed by the transport; otherwise the first messages decide. */
  readonly era?: 'legacy' | 'modern';
  /** Whether an answer to a server's request can come back (older revisions). */
  readonly canAsk?: boolean;
}

export interface Listen {
  readonly filter: JsonObject;
  end(): void;
}

type Reply = JsonObject | undefined;

/** Each message of a batch may be answered with many times its own length. */
const longestBatch = 1_000;

/** One connection: what it negotiated, what is under way on it, and exactly one answer for each request. */
export class Session {
  readonly server: Server;
  readonly canAsk: boolean;
  client: Client = { name: '', version: '', protocolVersion: legacyVersions[0], capabilities: {} };
  logLevel: ProtocolLogLevel = 'info';
  readonly connectedAt = Date.now();
  readonly watchedResources = new Set<string>();
  readonly listens = new Map<RequestId, Listen>();
  readonly #outlet: Outlet;
  readonly #inFlight = new Map<RequestId, AbortController>();
  readonly #answers = new Set<Promise<unknown>>();
  readonly #questions = new Questions();
  #era: 'legacy' | 'modern' | undefined;
  #initialized = false;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(server: Server, outlet: Outlet, options: SessionOptions = {}) {
    this.server = server;
    this.#outlet = outlet;
    this.#era = options.era;
    this.canAsk = options.canAsk ?? true;
  }

  /** Serves one JSON value; resolves to what must be sent back, if anything. */
  async receive(value: unknown): Promise<JsonObject | readonly JsonObject[] | undefined> {
    return Array.isArray(value) ? this.#batch(value) : this.#one(value);
  }

  /** The reply to bytes that never became a message. */
  refuse(failure: Failure, id: RequestId | null = null): JsonObject {
    const { code, ...error } = this.server.contract.error(
      failure,
      this.server.contract.codes[failure.kind],
      '',
    );
    // The current revision knows no null id.
    return {
      jsonrpc: '2.0',
      ...((id !== null || this.#era !== 'modern') && { id }),
      error: { code, ...error } as JsonObject,
    };
  }

  begin(client: Client): void {
    this.client = client;
    this.#era = 'legacy';
    this.#initialized = true;
  }

  send(message: JsonObject, relatedTo?: RequestId): void {
    if (!this.#closed) this.#outlet(message, relatedTo);
  }

  /** Sends a request of our own (older revisions) and waits for its answer. */
  request(method: string, params: JsonObject, relatedTo: RequestId, signal: AbortSignal): Promise<unknown> {
    return this.#questions.ask(signal, (id) => this.send({ jsonrpc: '2.0', id, method, params }, relatedTo));
  }

  announce(change: Change): void {
    const method =
      change.kind === 'resource'
        ? 'notifications/resources/updated'
        : `notifications/${change.kind}/list_changed`;
    const params = change.kind === 'resource' ? { uri: change.uri } : undefined;
    for (const [id, listen] of this.listens) {
      if (accepts(listen.filter, change))
        this.send(notification(method, { ...params, _meta: { [metaKeys.subscriptionId]: id } }), id);
    }
    if (this.#era === 'modern' || !this.#initialized) return;
    const wanted =
      change.kind === 'resource' ? this.watchedResources.has(change.uri) : this.#declares(change.kind);
    if (wanted) this.send(notification(method, params));
  }

  /** At the end of input: nothing more can be asked of the client, and what is under way is finished. */
  async drain(): Promise<void> {
    this.#questions.giveUp('The client has closed its side.');
    for (const listen of this.listens.values()) listen.end();
    while (this.#answers.size > 0) await Promise.allSettled(this.#answers);
  }

  /** The connection is gone: what is under way is cancelled and answers go nowhere. */
  close(): void {
    if (this.#closed) return;
    for (const listen of this.listens.values()) listen.end();
    this.#closed = true;
    this.server.sessions.delete(this);
    this.#questions.giveUp('The client has gone.');
    for (const controller of this.#inFlight.values())
      controller.abort(new Failure('cancelled', 'The client has gone.', { data: { disconnected: true } }));
  }

  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  async #batch(values: readonly unknown[]): Promise<JsonObject | readonly JsonObject[] | undefined> {
    const { protocolVersion } = this.client;
    if (this.#era === 'modern' || (this.#initialized && protocolVersion > '2025-03-26')) {
      return this.refuse(
        new Failure('invalid-request', `Batches are not part of protocol version ${protocolVersion}.`),
      );
    }
    if (values.length === 0 || values.length > longestBatch) {
      const reason = `A batch must hold between 1 and ${longestBatch} messages.`;
      return this.refuse(new Failure('invalid-request', reason));
    }
    const replies = await Promise.all(values.map((value) => this.#one(value)));
    const present = replies.filter((reply) => reply !== undefined);
    return present.length > 0 ? present : undefined;
  }

  #one(value: unknown): Promise<Reply> {
    const incoming = classify(value);
    switch (incoming.kind) {
      case 'invalid':
        return Promise.resolve(this.refuse(new Failure('invalid-request', incoming.reason), incoming.id));
      case 'notification':
        this.#notified(incoming.method, incoming.params);
        return Promise.resolve(undefined);
      case 'response':
        this.#questions.settle(incoming.id, incoming.result, incoming.error);
        return Promise.resolve(undefined);
      case 'request': {
        const answer = this.#answer(incoming.request);
        this.#answers.add(answer);
        void answer.finally(() => this.#answers.delete(answer));
        return answer;
      }
    }
  }

  async #answer(request: RequestMessage): Promise<Reply> {
    // Not `performance`: to load it would take longer than most requests.
    const started = process.hrtime.bigint();
    const controller = new AbortController();
    this.#inFlight.set(request.id, controller);
    let failed = true;
    try {
      const result = await this.#dispatch(request, controller.signal);
      failed = result['isError'] === true;
      return resultMessage(request.id, result);
    } catch (error) {
      return this.#reply(request, error);
    } finally {
      if (this.#inFlight.get(request.id) === controller) this.#inFlight.delete(request.id);
      const milliseconds = Number(process.hrtime.bigint() - started) / 1e6;
      // What the client itself ended has not failed.
      failed &&= !controller.signal.aborted;
      this.server.observe({ method: request.method, milliseconds, failed });
    }
  }

  async #dispatch(request: RequestMessage, signal: AbortSignal): Promise<JsonObject> {
    const { contract } = this.server;
    const client = this.#enter(request);
    const modern = client.protocolVersion === modernVersion;
    const method = this.#lookup(request.method, modern);
    const context = new RequestContext(this, request, client, signal);
    if (modern) await context.resume();
    const own = ownParams(request);
    if (method.schema !== undefined) {
      await this.#lastWrite;
      await parseValue(method.schema, own, 'params');
    }
    // Runs up to its first wait at once, so that `initialize` is in force for the message behind it.
    const work = untilAborted(
      (async () =>
        method.call({ session: this, server: this.server, params: own, request, client, context }))(),
      signal,
    );
    if (method.writes) this.#lastWrite = work.catch(() => {});
    try {
      const result = await work;
      return modern ? finishResult(request.method, result, contract.server) : result;
    } catch (error) {
      if (error instanceof InputRequired)
        return finishResult(request.method, error.result(await this.server.seal), contract.server);
      throw error;
    }
  }

  #reply(request: RequestMessage, error: unknown): Reply {
    const { contract } = this.server;
    const failure = reportFailure(error, request.method);
    if (contract.silent.has(failure.kind)) return undefined;
    const wire = contract.error(failure, contract.codes[failure.kind], request.method);
    return { jsonrpc: '2.0', id: request.id, error: { ...wire } as JsonObject };
  }

  /** Tells who is asking and by which revision, and pins the connection to it. */
  #enter({ method, params }: RequestMessage): Client {
    if (!this.server.contract.modern) return this.client;
    const claimed = claimedVersion(params);
    if (this.#era === 'modern') {
      if (method === 'initialize' && claimed === undefined)
        throw unsupportedVersion(params['protocolVersion']);
      this.client = parseEnvelope(params);
      return this.client;
    }
    if (claimed === undefined)
      return method === 'server/discover' && this.#era === undefined ? parseEnvelope(params) : this.client;
    if (claimed !== modernVersion) throw unsupportedVersion(claimed);
    if (this.#era === 'legacy') return this.client;
    const client = parseEnvelope(params);
    if (method !== 'server/discover') {
      this.#era = 'modern';
      this.client = client;
    }
    return client;
  }

  #lookup(name: string, modern: boolean): Builtin {
    const { contract, offer } = this.server;
    if (contract.methods.has(name)) {
      const builtin = Object.hasOwn(builtins, name) ? builtins[name] : undefined;
      if (
        builtin !== undefined &&
        builtin.era !== (modern ? 'legacy' : 'modern') &&
        (builtin.offered?.(offer) ?? true)
      )
        return builtin;
      const method = this.server.method(name);
      if (method !== undefined) {
        return {
          schema: method.paramsSchema,
          ...(method.writes && { writes: true }),
          call: async ({ params, context }) => (await method.call(params as never, context)) as JsonObject,
        };
      }
    }
    throw new Failure('method-not-found', `Method not found: ${name}`);
  }

  #notified(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method !== 'notifications/cancelled') return;
    const id = params['requestId'] as RequestId;
    this.#inFlight
      .get(id)
      ?.abort(new Failure('cancelled', String(params['reason'] ?? 'The client cancelled the request.')));
  }

  #declares(kind: string): boolean {
    const capability = this.server.capabilities[kind];
    return isObject(capability) && capability['listChanged'] === true;
  }
}

function accepts(filter: JsonObject, change: Change): boolean {
  if (change.kind !== 'resource') return filter[`${change.kind}ListChanged`] === true;
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) && uris.includes(change.uri);
}
