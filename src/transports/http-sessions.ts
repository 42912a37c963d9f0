import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { identityOf } from '../context.ts';
import { legacyVersions } from '../contracts/standard.ts';
import type { RequestId } from '../engine/message.ts';
import type { Server } from '../engine/server.ts';
import type { Session } from '../engine/session.ts';
import { Failure } from '../failure.ts';
import type { Credential } from '../identity/credential.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Access } from '../toolsets/access.ts';
import { EventStream, parseEventId } from './event-stream.ts';
import { sendError, sendJson } from './reply.ts';
import type { ReplyMemory } from './reply-memory.ts';

const idleMs = 60 * 60 * 1000;
/** After this time without a reply, the response becomes a stream that the client can resume. */
const streamAfterMs = 2_000;
/** Batches of one session that are in progress or not read yet. Others wait: the replies to each can fill much memory. */
const maxBatches = 2;
/** Shorter replies fit into the buffers of the system. */
const minHeldBytes = 16 * 1024;

interface ClientSession {
  readonly session: Session;
  /** The latest token that the client used. */
  credential: Credential;
  /** Streams of requests that are in progress or recently finished, by stream id. */
  readonly streams: Map<string, EventStream>;
  /** How to send messages that belong to a request, by request id. */
  readonly routes: Map<RequestId, (message: JsonObject) => void>;
  /** The stream for messages that belong to no request. */
  readonly standing: EventStream;
  lastSeen: number;
  /** Batches that are in progress, or whose replies the client has not read yet. */
  openBatches: number;
  hasEnded: boolean;
}

/** Streamable HTTP of the revisions with sessions. Each client has one server session for all its requests. */
export class HttpSessions {
  readonly #server: Server;
  readonly #sessions = new Map<string, ClientSession>();
  readonly #maxSessions: number;
  readonly #memory: ReplyMemory;
  readonly #sweeper: NodeJS.Timeout;

  constructor(server: Server, maxSessions: number, memory: ReplyMemory) {
    this.#server = server;
    this.#memory = memory;
    this.#maxSessions = maxSessions;
    this.#sweeper = setInterval(() => this.#sweep(Date.now() - idleMs), 60_000);
    this.#sweeper.unref();
  }

  /** `access` applies to a new session from `initialize` to its end, or to a single request without a session. */
  async post(
    message: unknown,
    access: Access,
    credential: Credential,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const version = request.headers['mcp-protocol-version'];
    if (version !== undefined && !legacyVersions.some((known) => known === version)) {
      return sendError(
        response,
        400,
        -32600,
        `Unsupported protocol version: ${version} (supported: ${legacyVersions.join(', ')})`,
      );
    }
    const id = request.headers['mcp-session-id'];
    if (isInitialize(message)) {
      if (!this.#maySessionBegin()) {
        const reason = `All ${this.#maxSessions} sessions are in use (setting http.max_sessions).`;
        return sendError(response, 503, -32600, reason, { 'retry-after': '5' });
      }
      const [name, client] = this.#begin(access, credential);
      return this.#serve(client, message, response, { 'mcp-session-id': name });
    }
    if (id === undefined) return this.#serveWithoutSession(message, access, response);
    const client = this.#find(id, credential);
    if (client === undefined) return sendUnknownSession(response);
    client.credential = credential;
    client.session.renew(credential.actor);
    return this.#serve(client, message, response, {});
  }

  get(credential: Credential, request: IncomingMessage, response: ServerResponse): void {
    const client = this.#find(request.headers['mcp-session-id'], credential);
    if (request.headers['mcp-session-id'] === undefined)
      return sendError(response, 405, -32600, 'A stream needs a session: send the header Mcp-Session-Id.');
    if (client === undefined) return sendUnknownSession(response);
    client.lastSeen = Date.now();
    const seen = parseEventId(String(request.headers['last-event-id'] ?? ''));
    const stream = seen && client.streams.get(seen.stream);
    if (stream !== undefined) return stream.attach(response, {}, seen!.sequence);
    client.standing.attach(response, {}, seen?.stream === client.standing.id ? seen.sequence : undefined);
  }

  delete(credential: Credential, request: IncomingMessage, response: ServerResponse): void {
    const id = String(request.headers['mcp-session-id'] ?? '');
    const client = this.#find(id, credential);
    if (client === undefined) return sendError(response, 404, -32600, 'The session is unknown or has ended.');
    this.#end(id, client);
    response.writeHead(204).end();
  }

  /** Ends the sessions whose token was revoked, with their requests in progress. */
  endRevoked(): void {
    for (const [id, client] of this.#sessions) if (client.credential.isRevoked()) this.#end(id, client);
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const [id, client] of this.#sessions) this.#end(id, client);
  }

  /** A session belongs to the actor that began it. For everybody else it does not exist. */
  #find(id: string | string[] | undefined, { actor }: Credential): ClientSession | undefined {
    const client = this.#sessions.get(String(id ?? ''));
    return client && identityOf(client.credential.actor) === identityOf(actor) ? client : undefined;
  }

  #begin(access: Access, credential: Credential): [string, ClientSession] {
    const name = randomUUID();
    const client: ClientSession = {
      session: this.#server.connect(
        (message, relatedTo) => {
          if (client.credential.isRevoked()) return;
          const route = relatedTo === undefined ? undefined : client.routes.get(relatedTo);
          if (route) route(message);
          else client.standing.send(message);
        },
        { access, replies: this.#memory.accountOf(() => client) },
      ),
      credential,
      streams: new Map(),
      routes: new Map(),
      standing: new EventStream(`${name}.standing`, {
        hold: (bytes) => this.#memory.hold(client, bytes),
        isResumable: true,
      }),
      lastSeen: Date.now(),
      openBatches: 0,
      hasEnded: false,
    };
    this.#sessions.set(name, client);
    return [name, client];
  }

  /** Replies with plain JSON, or with a stream if the request takes long or sends other messages first. */
  async #serve(
    client: ClientSession,
    message: unknown,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    client.lastSeen = Date.now();
    const ids = requestIds(message);
    if (ids.length === 0) {
      await client.session.receive(message);
      response.writeHead(202, headers).end();
      return;
    }
    const isBatch = Array.isArray(message);
    const enter = () => {
      if (isBatch && client.openBatches >= maxBatches) return false;
      if (isBatch) client.openBatches += 1;
      return true;
    };
    const waiting = this.#waitForRoom(client, response, enter);
    if (waiting !== undefined && !(await waiting)) return;
    // The session may have ended while the request waited.
    if (client.hasEnded) return sendUnknownSession(response);
    const hold = (bytes: number) => this.#memory.hold(client, bytes);
    let stream: EventStream | undefined;
    const open = (): EventStream => {
      if (stream !== undefined) return stream;
      stream = new EventStream(randomUUID(), { hold, isResumable: true });
      client.streams.set(stream.id, stream);
      stream.attach(response, headers);
      if (client.session.client.protocolVersion >= '2025-11-25') stream.prime();
      return stream;
    };
    for (const id of ids) client.routes.set(id, (sent) => open().send(sent));
    const streamTimer = setTimeout(open, streamAfterMs);
    try {
      const reply = await client.session.receive(message);
      if (stream === undefined) {
        if (reply === undefined) response.writeHead(202, headers).end();
        else this.#holdUntilRead(client, response, sendJson(response, 200, reply, headers));
        return;
      }
      if (reply !== undefined) stream.send(reply);
      this.#keep(client, stream, isBatch ? ids : ids[0]!);
    } finally {
      if (isBatch) whenClosed(response, () => this.#closeBatch(client));
      clearTimeout(streamTimer);
      for (const id of ids) client.routes.delete(id);
      client.lastSeen = Date.now();
    }
  }

  #closeBatch(client: ClientSession): void {
    client.openBatches -= 1;
    this.#memory.wake();
  }

  /** Waits until clients have read enough of their other replies; `undefined` if they have. False if the client disconnects first. */
  #waitForRoom(owner: object, response: ServerResponse, enter = () => true): Promise<boolean> | undefined {
    // Checks and enters at once: one event wakes all requests that wait.
    const hasEntered = () => !this.#memory.isFull(owner) && enter();
    if (hasEntered()) return undefined;
    response.on('close', () => this.#memory.wake());
    const wait = async () => {
      do await this.#memory.changed();
      while (!response.destroyed && !hasEntered());
      return !response.destroyed;
    };
    return wait();
  }

  /** Counts a long reply until the client has read it or has disconnected. */
  #holdUntilRead(owner: object, response: ServerResponse, bytes: number): void {
    if (bytes < minHeldBytes) return;
    let held = bytes;
    const kept = this.#memory.keep(owner, {
      isBeingRead: () => true,
      drop: () => {
        this.#memory.hold(owner, -held);
        held = 0;
        if (!response.writableFinished) response.destroy();
      },
      forget() {},
    });
    whenClosed(response, () => this.#memory.forget(kept));
    this.#memory.hold(owner, held);
  }

  /** Ends a stream, and keeps its replies for a client that lost its connection. */
  #keep(client: ClientSession, stream: EventStream, ids: readonly RequestId[] | RequestId): void {
    const refuse = (id: RequestId) => client.session.refuse(tooLate(), id);
    const kept = this.#memory.keep(client, {
      isBeingRead: () => stream.attached,
      drop: () => stream.drop(() => (typeof ids === 'object' ? ids.map(refuse) : refuse(ids))),
      forget: () => client.streams.delete(stream.id),
    });
    stream.end(() => this.#memory.deliver(kept));
  }

  /** Serves a request without a session. The server cannot ask such a client anything. */
  async #serveWithoutSession(message: unknown, access: Access, response: ServerResponse): Promise<void> {
    const owner = {};
    const hold = (bytes: number) => this.#memory.hold(owner, bytes);
    const waiting = this.#waitForRoom(owner, response);
    if (waiting !== undefined && !(await waiting)) return;
    const stream = new EventStream(randomUUID(), { hold });
    const session = this.#server.connect(
      (sent) => {
        if (!stream.attached) stream.attach(response, {});
        stream.send(sent);
      },
      { canAsk: false, access, replies: this.#memory.accountOf(() => owner) },
    );
    response.on('close', () => session.close());
    const reply = await session.receive(message);
    session.close();
    if (stream.attached) {
      if (reply !== undefined) stream.send(reply);
      stream.end();
    } else if (reply === undefined) response.writeHead(202).end();
    else this.#holdUntilRead(owner, response, sendJson(response, 200, reply));
  }

  #sweep(before: number): void {
    for (const [id, client] of this.#sessions) {
      if (client.lastSeen < before && !client.session.busy && !client.standing.attached)
        this.#end(id, client);
    }
  }

  /** Ends the session that has been idle longest if there are too many. Returns whether there is room for a new one. */
  #maySessionBegin(): boolean {
    if (this.#sessions.size < this.#maxSessions) return true;
    const [oldest] = [...this.#sessions]
      .filter(([, client]) => !client.session.busy && !client.standing.attached)
      .sort(([, a], [, b]) => a.lastSeen - b.lastSeen);
    if (oldest) this.#end(...oldest);
    return oldest !== undefined;
  }

  #end(id: string, client: ClientSession): void {
    this.#sessions.delete(id);
    client.hasEnded = true;
    client.session.close();
    for (const stream of [client.standing, ...client.streams.values()]) {
      stream.drop();
      stream.end();
    }
    this.#memory.end(client);
  }
}

/** Calls the function when the response is sent, or the client has disconnected. */
function whenClosed(response: ServerResponse, call: () => void): void {
  if (response.destroyed) call();
  else response.once('close', call);
}

function tooLate(): Failure {
  return new Failure(
    'unavailable',
    'The reply was dropped, because it was not fetched in time and the server held too many replies. The request was carried out; check its effect before you send it again.',
  );
}

function sendUnknownSession(response: ServerResponse): void {
  sendError(response, 404, -32600, 'The session is unknown or has ended; initialize again.');
}

function isInitialize(message: unknown): boolean {
  return isObject(message) && message['method'] === 'initialize' && 'id' in message;
}

function requestIds(message: unknown): RequestId[] {
  const all = Array.isArray(message) ? message : [message];
  if (all.length === 0) return [''];
  // Everything except notifications and responses gets a reply, if only an error.
  return all.flatMap((one) => {
    if (!isObject(one)) return [''];
    if ('method' in one && !('id' in one)) return [];
    if (!('method' in one) && ('result' in one || 'error' in one)) return [];
    return [one['id'] as RequestId];
  });
}
