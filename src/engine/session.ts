import { type Actor, type Client, compareRights, maySeePerson, type ProtocolLogLevel } from '../context.ts';
import { legacyVersions, modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Change } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import {
  type Call,
  type Connection,
  type Host,
  type Listen,
  type Outlet,
  type ReplyAccount,
  recordDenied,
  type SessionOptions,
} from './call.ts';
import { InputRequired, ownParams, RequestContext } from './context.ts';
import { invalidEnvelope, metaKeys } from './envelope.ts';
import { errorReply, reportFailure } from './failure-report.ts';
import {
  classify,
  type Incoming,
  notification,
  type RequestId,
  type RequestMessage,
  resultMessage,
} from './message.ts';
import { findMethod } from './methods.ts';
import { claimedVersion, finishResult, parseEnvelope, unsupportedVersion } from './modern.ts';
import { Questions, RequestInProgress, WriteOrder } from './request-in-progress.ts';
import { answerBatch, checkNames } from './request-limits.ts';
import { isValidatorLoaded, loadValidator, parseValue } from './schema.ts';
import type { Surface } from './surface.ts';

type Reply = JsonObject | undefined;

/** A change that clients are notified of. */
export type AnnouncedChange = Exclude<Change, { readonly kind: 'use' }>;

// The states of a session:
//
//   new ──`initialize`──▶ legacy ──────────────────────────────────┬──the connection is lost, or ended──▶ closed
//    └───a request of 2026-07-28, except `server/discover`──▶ modern ──┘
//
// Requests are answered in each state but the last, also before `initialize`. The era never changes again. In a legacy session,
// handlers ask the client with requests, and the client is notified of changes without a subscription.

/** One connection: the negotiated protocol, the requests in progress, and exactly one reply for each request. */
export class Session implements Connection {
  readonly server: Host;
  surface: Surface;
  readonly canAsk: boolean;
  client: Client = { name: '', version: '', protocolVersion: legacyVersions[0], capabilities: {} };
  logLevel: ProtocolLogLevel = 'info';
  readonly connectedAt = Date.now();
  readonly watchedResources = new Set<string>();
  readonly listens = new Map<RequestId, Listen>();
  readonly #outlet: Outlet;
  readonly #replies: ReplyAccount | undefined;
  readonly #inFlight = new Map<RequestId, RequestInProgress>();
  readonly #questions = new Questions();
  #era: 'legacy' | 'modern' | undefined;
  #initialized = false;
  readonly #writes = new WriteOrder();
  #closed = false;

  constructor(server: Host, outlet: Outlet, options: SessionOptions = {}) {
    this.server = server;
    this.#outlet = outlet;
    this.#era = options.era;
    this.#replies = options.replies;
    this.surface = server.surfaceOf(options.access ?? server.access);
    this.canAsk = options.canAsk ?? true;
  }

  /** Serves one JSON value. Resolves to the reply, or to `undefined` if there is none. Never rejects. */
  receive(value: unknown): Promise<JsonObject | readonly JsonObject[] | undefined> {
    return Array.isArray(value) ? this.#receiveBatch(value) : this.#receiveOne(value);
  }

  /** The error reply to input that is not a valid message. */
  refuse(failure: Failure, id: RequestId | null = null): JsonObject {
    const { contract } = this.server;
    // Revision 2026-07-28 does not allow a null id.
    return errorReply(contract, failure, id === null && this.#era === 'modern' ? undefined : id, '');
  }

  begin(client: Client): void {
    this.client = client;
    this.#era = 'legacy';
    this.#initialized = true;
  }

  /** Applies the rights of a newer token of the same actor, and reports that the lists may have changed. */
  renew(actor: Actor): void {
    const { access } = this.surface;
    const change = compareRights(access.actor, actor);
    if (change === 'same') return;
    if (change === 'narrower') this.watchedResources.clear();
    this.surface = this.server.surfaceOf(access.heldBy(actor));
    for (const kind of ['tools', 'prompts', 'resources'] as const) this.announce({ kind });
  }

  send(message: JsonObject, relatedTo?: RequestId): void {
    if (!this.#closed) this.#outlet(message, relatedTo);
  }

  /** Sends a request to the client (legacy revisions) and waits for its answer. */
  request(method: string, params: JsonObject, relatedTo: RequestId, signal: AbortSignal): Promise<unknown> {
    return this.#questions.ask(
      signal,
      (id) => this.send({ jsonrpc: '2.0', id, method, params }, relatedTo),
      (requestId, reason) =>
        this.send(notification('notifications/cancelled', { requestId, reason }), relatedTo),
    );
  }

  /** Notifies the client of a change if it subscribed to it, or if the capabilities announce such notifications. */
  announce(change: AnnouncedChange): void {
    if (!isVisible(change, this.surface.access.actor)) return;
    for (const [id, listen] of this.listens) {
      if (accepts(listen.filter, change)) this.send(changeNotification(change, id), id);
    }
    if (this.#era === 'modern' || !this.#initialized) return;
    const isExpected =
      change.kind === 'resource'
        ? this.watchedResources.has(change.uri)
        : this.surface.declares(change.kind, 'listChanged');
    if (isExpected) this.send(changeNotification(change));
  }

  /** At the end of input: fails open questions to the client, so that every request can be answered. */
  endInput(): void {
    this.#questions.rejectAll('The client closed its side of the connection.');
    for (const listen of this.listens.values()) listen.end();
  }

  /** When the connection is lost: cancels the requests in progress and drops their replies. */
  close(): void {
    if (this.#closed) return;
    for (const listen of this.listens.values()) listen.end();
    this.#closed = true;
    this.server.sessions.delete(this);
    this.#questions.rejectAll('The client disconnected.');
    for (const inProgress of this.#inFlight.values())
      inProgress.abort(
        new Failure('cancelled', 'The client disconnected.', { data: { disconnected: true } }),
      );
  }

  get busy(): boolean {
    return this.#inFlight.size > 0;
  }

  async #receiveBatch(values: readonly unknown[]): Promise<JsonObject | readonly JsonObject[] | undefined> {
    const { protocolVersion } = this.client;
    if (this.#era === 'modern' || (this.#initialized && protocolVersion > '2025-03-26')) {
      return this.refuse(
        new Failure('invalid-request', `Batches are not part of protocol version ${protocolVersion}.`),
      );
    }
    return answerBatch(values, {
      maxReplyBytes: this.server.limits.batchReplyBytes,
      replies: this.#replies,
      answer: (value) => this.#receiveOne(value),
      refuse: (failure, id) => this.refuse(failure, id),
    });
  }

  /** Every function that waits costs memory for each request, so one function serves a request from its start to its reply. */
  #receiveOne(value: unknown): Promise<Reply> {
    const incoming = classify(value);
    return incoming.kind === 'request' ? this.#serve(incoming.request) : this.#receiveOther(incoming);
  }

  async #receiveOther(incoming: Exclude<Incoming, { readonly kind: 'request' }>): Promise<Reply> {
    if (incoming.kind === 'invalid')
      return this.refuse(new Failure('invalid-request', incoming.reason), incoming.id);
    if (incoming.kind === 'notification') this.#handleNotification(incoming.method, incoming.params);
    else this.#questions.answer(incoming.id, incoming.result, incoming.error);
    return undefined;
  }

  async #serve(request: RequestMessage): Promise<Reply> {
    const tooLong = checkNames(request, this.server.limits.nameLength);
    if (tooLong !== undefined) return this.refuse(tooLong, request.id);
    const inProgress = new RequestInProgress();
    this.#inFlight.set(request.id, inProgress);
    try {
      const { method, context, call } = this.#prepare(request, inProgress);
      // Waits only if there is something to wait for: the handler starts before the next message is served, so that
      // `initialize` takes effect first and a cancellation finds a request that has started.
      if (context.isModern && context.isResumed) await context.resume();
      if (method.schema !== undefined) {
        if (!isValidatorLoaded()) await loadValidator();
        // A request that waited as long as this one may have begun to write.
        while (this.#writes.last !== undefined) await this.#writes.last;
        parseValue(method.schema, call.params, 'params');
      }
      const work = inProgress.untilAborted(method.call(call));
      if (method.writes) this.#writes.add(work);
      const result = await work;
      return this.#succeed(request, inProgress, context, result);
    } catch (error) {
      return error instanceof InputRequired
        ? this.#askAgain(request, inProgress, error)
        : this.#fail(request, inProgress, error);
    }
  }

  /** Throws if the request cannot be served. */
  #prepare(request: RequestMessage, inProgress: RequestInProgress) {
    const { contract } = this.server;
    const { issue } = request;
    // Contracts without the revision 2026-07-28 do not read the parts of `_meta` that it defines.
    if (issue !== undefined && (contract.modern || issue.path[0] !== '_meta')) {
      findMethod(this.surface, contract, request.method, this.#era === 'modern');
      throw invalidEnvelope(issue);
    }
    const client = this.surface.visible(this.#identifyClient(request));
    const context = new RequestContext(this, request, client, inProgress);
    const method = findMethod(this.surface, contract, request.method, context.isModern);
    const params = ownParams(request);
    const call: Call = { session: this, server: this.server, params, request, client, context };
    return { method, context, call };
  }

  #succeed(
    request: RequestMessage,
    inProgress: RequestInProgress,
    { isModern }: RequestContext,
    result: JsonObject,
  ): JsonObject {
    const { server } = this.server.contract;
    const finished = isModern ? finishResult(request, result, server) : result;
    this.#finish(request, inProgress, result['isError'] === true);
    return resultMessage(request.id, finished);
  }

  /** Returns the questions of a handler to the client, which sends the request again with the answers. */
  async #askAgain(
    request: RequestMessage,
    inProgress: RequestInProgress,
    questions: InputRequired,
  ): Promise<Reply> {
    try {
      const result = questions.result(await this.server.seal);
      this.#finish(request, inProgress, false);
      return resultMessage(request.id, finishResult(request, result, this.server.contract.server));
    } catch (error) {
      return this.#fail(request, inProgress, error);
    }
  }

  #finish(request: RequestMessage, inProgress: RequestInProgress, failed: boolean): void {
    if (this.#inFlight.get(request.id) === inProgress) this.#inFlight.delete(request.id);
    const tool = request.method === 'tools/call' ? request.params['name'] : undefined;
    this.server.observe({
      client: this.client.name,
      method: request.method,
      ...(typeof tool === 'string' && { tool }),
      milliseconds: inProgress.milliseconds,
      // A request that the client cancelled did not fail.
      failed: failed && !inProgress.aborted,
    });
  }

  #fail(request: RequestMessage, inProgress: RequestInProgress, error: unknown): Reply {
    const { contract } = this.server;
    this.#finish(request, inProgress, true);
    recordDenied(this, request, error);
    const failure = reportFailure(error, request.method);
    if (contract.silent.has(failure.kind)) return undefined;
    return errorReply(contract, failure, request.id, request.method);
  }

  /** Identifies the client and its protocol revision, and fixes the era of the connection. */
  #identifyClient({ method, params }: RequestMessage): Client {
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

  #handleNotification(method: string, params: Readonly<Record<string, unknown>>): void {
    if (method !== 'notifications/cancelled') return;
    const { requestId, reason } = params;
    const why = typeof reason === 'string' ? reason : 'The client cancelled the request.';
    this.#inFlight.get(requestId as RequestId)?.abort(new Failure('cancelled', why));
  }
}

/** False if the change is about a person whom the actor may not see. */
function isVisible(change: AnnouncedChange, actor: Actor): boolean {
  return change.kind !== 'resources' || change.user === undefined || maySeePerson(actor, change.user);
}

/** The notification for a change. `subscription` is the id of the `subscriptions/listen` request it answers. */
function changeNotification(change: AnnouncedChange, subscription?: RequestId): JsonObject {
  const method =
    change.kind === 'resource'
      ? 'notifications/resources/updated'
      : `notifications/${change.kind}/list_changed`;
  const params = change.kind === 'resource' ? { uri: change.uri } : undefined;
  if (subscription === undefined) return notification(method, params);
  return notification(method, { ...params, _meta: { [metaKeys.subscriptionId]: subscription } });
}

/** True if a subscription with this filter includes the change. */
function accepts(filter: JsonObject, change: AnnouncedChange): boolean {
  if (change.kind !== 'resource') return filter[`${change.kind}ListChanged`] === true;
  const uris = filter['resourceSubscriptions'];
  return Array.isArray(uris) && uris.includes(change.uri);
}
