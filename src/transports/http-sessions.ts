import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { legacyVersions } from '../contracts/standard.ts';
import type { RequestId } from '../engine/message.ts';
import type { Server } from '../engine/server.ts';
import type { Session } from '../engine/session.ts';
import { isObject, type JsonObject } from '../json.ts';
import { EventStream, parseEventId } from './event-stream.ts';
import { sendError, sendJson } from './reply.ts';

const idleMs = 60 * 60 * 1000;
/** After this long without an answer the reply becomes a stream that the client can come back to. */
const patienceMs = 2_000;
const mostSessions = 1_000;

interface Visit {
  readonly session: Session;
  /** Streams of requests under way and of those just finished, by their id. */
  readonly streams: Map<string, EventStream>;
  /** Where what belongs to a request is said, by the request's id. */
  readonly routes: Map<RequestId, (message: JsonObject) => void>;
  readonly standing: EventStream;
  lastSeen: number;
}

/** Streamable HTTP of the revisions with sessions: one server session for each client, over many requests. */
export class HttpSessions {
  readonly #server: Server;
  readonly #visits = new Map<string, Visit>();
  readonly #sweeper: NodeJS.Timeout;

  constructor(server: Server) {
    this.#server = server;
    this.#sweeper = setInterval(() => this.#sweep(Date.now() - idleMs), 60_000);
    this.#sweeper.unref();
  }

  async post(message: unknown, request: IncomingMessage, response: ServerResponse): Promise<void> {
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
      const [name, visit] = this.#begin();
      return this.#serve(visit, message, response, { 'mcp-session-id': name });
    }
    if (id === undefined) return this.#serveAlone(message, response);
    const visit = this.#visits.get(String(id));
    if (visit === undefined)
      return sendError(response, 404, -32600, 'The session is not known or has ended; initialize again.');
    return this.#serve(visit, message, response, {});
  }

  get(request: IncomingMessage, response: ServerResponse): void {
    const visit = this.#visits.get(String(request.headers['mcp-session-id'] ?? ''));
    if (request.headers['mcp-session-id'] === undefined)
      return sendError(response, 405, -32600, 'There is no stream without a session.');
    if (visit === undefined)
      return sendError(response, 404, -32600, 'The session is not known or has ended; initialize again.');
    visit.lastSeen = Date.now();
    const seen = parseEventId(String(request.headers['last-event-id'] ?? ''));
    const stream = seen && visit.streams.get(seen.stream);
    if (stream !== undefined) return stream.attach(response, {}, seen!.sequence);
    visit.standing.attach(response, {}, seen?.stream === visit.standing.id ? seen.sequence : undefined);
  }

  delete(request: IncomingMessage, response: ServerResponse): void {
    const id = String(request.headers['mcp-session-id'] ?? '');
    const visit = this.#visits.get(id);
    if (visit === undefined)
      return sendError(response, 404, -32600, 'The session is not known or has ended.');
    this.#end(id, visit);
    response.writeHead(204).end();
  }

  close(): void {
    clearInterval(this.#sweeper);
    for (const [id, visit] of this.#visits) this.#end(id, visit);
  }

  #begin(): [string, Visit] {
    if (this.#visits.size >= mostSessions) this.#evict();
    const name = randomUUID();
    const visit: Visit = {
      session: this.#server.connect((message, relatedTo) => {
        const route = relatedTo === undefined ? undefined : visit.routes.get(relatedTo);
        if (route) route(message);
        else visit.standing.send(message);
      }),
      streams: new Map(),
      routes: new Map(),
      standing: new EventStream(`${name}.standing`),
      lastSeen: Date.now(),
    };
    this.#visits.set(name, visit);
    return [name, visit];
  }

  /** Answers with plain JSON when it can and with a stream when there is more to say or it takes long. */
  async #serve(
    visit: Visit,
    message: unknown,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    visit.lastSeen = Date.now();
    const ids = requestIds(message);
    if (ids.length === 0) {
      await visit.session.receive(message);
      response.writeHead(202, headers).end();
      return;
    }
    let stream: EventStream | undefined;
    const open = (): EventStream => {
      if (stream !== undefined) return stream;
      stream = new EventStream(randomUUID());
      visit.streams.set(stream.id, stream);
      stream.attach(response, headers);
      if (visit.session.client.protocolVersion >= '2025-11-25') stream.prime();
      return stream;
    };
    for (const id of ids) visit.routes.set(id, (sent) => open().send(sent));
    const patience = setTimeout(open, patienceMs);
    try {
      const reply = await visit.session.receive(message);
      if (stream === undefined) {
        if (reply === undefined) response.writeHead(202, headers).end();
        else sendJson(response, 200, reply, headers);
        return;
      }
      const opened: EventStream = stream;
      if (reply !== undefined) opened.send(reply);
      opened.end();
      setTimeout(() => visit.streams.delete(opened.id), 5 * 60_000).unref();
    } finally {
      clearTimeout(patience);
      for (const id of ids) visit.routes.delete(id);
      visit.lastSeen = Date.now();
    }
  }

  /** A request outside any session is served as it stands; nothing can be asked of its sender. */
  async #serveAlone(message: unknown, response: ServerResponse): Promise<void> {
    const stream = new EventStream(randomUUID());
    const session = this.#server.connect(
      (sent) => {
        if (!stream.attached) stream.attach(response, {});
        stream.send(sent);
      },
      { canAsk: false },
    );
    response.on('close', () => session.close());
    const reply = await session.receive(message);
    session.close();
    if (stream.attached) {
      if (reply !== undefined) stream.send(reply);
      stream.end();
    } else if (reply === undefined) response.writeHead(202).end();
    else sendJson(response, 200, reply);
  }

  #sweep(before: number): void {
    for (const [id, visit] of this.#visits) {
      if (visit.lastSeen < before && !visit.session.busy && !visit.standing.attached) this.#end(id, visit);
    }
  }

  #evict(): void {
    const idle = [...this.#visits].filter(([, visit]) => !visit.session.busy && !visit.standing.attached);
    const [oldest] = (idle.length > 0 ? idle : [...this.#visits]).sort(
      ([, a], [, b]) => a.lastSeen - b.lastSeen,
    );
    if (oldest) this.#end(...oldest);
  }

  #end(id: string, visit: Visit): void {
    this.#visits.delete(id);
    visit.session.close();
    visit.standing.end();
    for (const stream of visit.streams.values()) stream.end();
  }
}

function isInitialize(message: unknown): boolean {
  return isObject(message) && message['method'] === 'initialize' && 'id' in message;
}

function requestIds(message: unknown): RequestId[] {
  const all = Array.isArray(message) ? message : [message];
  if (all.length === 0) return [''];
  // What is not a notification or a response gets an answer, if only that it is not a message at all.
  return all.flatMap((one) => {
    if (!isObject(one)) return [''];
    if ('method' in one && !('id' in one)) return [];
    if (!('method' in one) && ('result' in one || 'error' in one)) return [];
    return [one['id'] as RequestId];
  });
}
