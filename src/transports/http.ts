import {
  createServer as createListener,
  type IncomingMessage,
  type Server as Listener,
  type ServerResponse,
} from 'node:http';
import type { Audit } from '../audit/audit-entry.ts';
import type { Actor } from '../context.ts';
import { modernVersion } from '../contracts/standard.ts';
import { describeRequest } from '../engine/call.ts';
import { claimedVersion } from '../engine/modern.ts';
import { maxMessages } from '../engine/request-limits.ts';
import type { Server } from '../engine/server.ts';
import { Failure } from '../failure.ts';
import type { Finding } from '../feature.ts';
import { type Authenticator, type Credential, isDenial, ownerCredential } from '../identity/credential.ts';
import { isObject, type JsonObject } from '../json.ts';
import { log } from '../log.ts';
import { readBody } from '../request-body.ts';
import { type Access, selectionFromHeaders } from '../toolsets/access.ts';
import { type AddressOf, createAddressOf } from './client-address.ts';
import { affordableConnections, ConnectionLimit } from './connection-limit.ts';
import { checkOrigin, type GuardOptions } from './guard.ts';
import { serveModern } from './http-modern.ts';
import { HttpSessions } from './http-sessions.ts';
import { structureProblem } from './message-limits.ts';
import { findDenied } from './needed-scope.ts';
import { isProbe, metricsPath, serveMetrics, serveProbe } from './probes.ts';
import { RateLimit } from './rate-limit.ts';
import { pagePath, sendError, sendJson } from './reply.ts';
import { type ReplyLimits, ReplyMemory } from './reply-memory.ts';
import { nameActor, withRequestId } from './request-id.ts';
import { tooLong } from './stdio.ts';

const timeouts = {
  keepAliveTimeout: 65_000,
  // A client that sends its request too slowly is answered with status 408.
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
};

export interface HttpLimits {
  /** Requests of each token; 0 for no limit. */
  readonly requestsPerSecond: number;
  readonly connections: number;
  readonly sessions: number;
}

const unlimited: HttpLimits = { requestsPerSecond: 0, connections: Infinity, sessions: Infinity };

export interface HttpOptions extends GuardOptions {
  readonly host: string;
  readonly port: number;
  readonly maxMessageBytes: number;
  /** Absent only in the conformance tests, which cannot send a token. */
  readonly authenticator?: Authenticator;
  /** Records denied requests. */
  readonly audit?: Audit;
  readonly limits?: HttpLimits;
  /** Addresses and ranges of proxies that say from where a request came. */
  readonly trustedProxies?: readonly string[];
  readonly replyLimits?: ReplyLimits;
  /** The server for `/mcp` or `/mcp/<contract>`, or `undefined` if the contract is unknown. */
  serverFor(contract: string | undefined): Server | undefined;
  /**
   * True for a path with a secret that permits a POST by whoever knows it. Browsers post the form of such a page without
   * an origin, and the web apps of messengers post there from their own.
   */
  permitsItself?(path: string): boolean;
  /** Checks for `/readyz`. Absent in tests of the transport alone. */
  readiness?(): Promise<readonly Finding[]>;
  /** Metrics for `/metrics`. Absent in tests of the transport alone. */
  metrics?(): Promise<string>;
  /** Serves all other paths: the page and its files. */
  page(
    path: string,
    response: ServerResponse,
    request: IncomingMessage,
    address: string | undefined,
  ): Promise<void>;
}

export interface HttpEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves Streamable HTTP of both eras. Checks the host, the origin and the token of every request. */
export async function serveHttp(options: HttpOptions): Promise<HttpEndpoint> {
  const { limits = unlimited, trustedProxies = [] } = options;
  const addressOf = createAddressOf(trustedProxies);
  const sessions = new Map<Server, HttpSessions>();
  const memory = new ReplyMemory(options.replyLimits);
  const sessionsOf = (server: Server) => {
    const known = sessions.get(server) ?? new HttpSessions(server, limits.sessions, memory);
    sessions.set(server, known);
    return known;
  };
  const live = new LiveRequests(() => {
    for (const one of sessions.values()) one.endRevoked();
  });
  const listener = createListener(timeouts, (request, response) => {
    const answer = () =>
      handle(endpoint, request, response).catch((error: unknown) => {
        // The client disconnected during its request, so there is nobody to reply to.
        if (request.errored) return;
        log('error', `${request.method} ${request.url} failed`, error);
        sendError(response, 500, -32603, 'Internal error');
      });
    void withRequestId(request, response, answer);
  });
  const rate = new RateLimit(limits.requestsPerSecond);
  const connections = new ConnectionLimit(listener, affordableConnections(limits.connections));
  const endpoint: Endpoint = { ...options, sessionsOf, rate, connections, live, addressOf };
  await listen(listener, options);
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async close() {
      live.close();
      for (const one of sessions.values()) one.close();
      const closed = new Promise((resolve) => listener.close(resolve));
      listener.closeAllConnections();
      await closed;
    },
  };
}

interface Endpoint extends HttpOptions {
  sessionsOf(server: Server): HttpSessions;
  readonly rate: RateLimit;
  readonly connections: ConnectionLimit;
  readonly live: LiveRequests;
  readonly addressOf: AddressOf;
}

async function handle(options: Endpoint, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authenticator, live, rate } = options;
  const path = (request.url ?? '/').replace(/[?#].*$/s, '');
  // Load balancers ask by the address of the machine, and have no token.
  if (isProbe(path) && request.headers.authorization === undefined)
    return serveProbe(options, path, request, response);
  const isOpen = options.permitsItself?.(path) === true;
  const anyOrigin = request.method === 'POST' && isOpen;
  const refusal = checkOrigin(request, { ...options, anyOrigin });
  if (refusal) return sendError(response, refusal.status, -32600, refusal.message);
  // Whoever guesses the secret of such a path makes the server work without a token.
  const waitSeconds = isOpen ? rate.take(`from ${options.addressOf(request)}`) : 0;
  if (waitSeconds > 0) return tooManyRequests(waitSeconds, response);
  const isPage = path === pagePath;
  const route = isPage ? ['', undefined] : /^\/mcp(?:\/([a-z]+))?\/?$/.exec(path);
  if (route === null && !isProbe(path) && path !== metricsPath) {
    const metadata = authenticator?.metadata(path);
    return metadata === undefined
      ? options.page(path, response, request, options.addressOf(request))
      : void sendJson(response, 200, metadata as JsonObject);
  }

  const credential = await admit(options, request, response);
  if (credential === undefined) return;
  nameActor(credential.actor.name);
  options.connections.use(request, response);
  if (path === metricsPath) return serveMetrics(options, request, response, credential.actor);
  if (route === null) return serveProbe(options, path, request, response, credential.actor);
  const server = options.serverFor(route[1]);
  if (server === undefined) return sendError(response, 404, -32601, `Unknown contract "${route[1]}".`);

  let access: Access;
  try {
    const held = server.access.heldBy(credential.actor);
    access = isPage ? held.withoutToolsets() : tightened(held, request);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return sendError(response, 400, -32600, error.message);
  }

  const sessions = options.sessionsOf(server);
  if (request.method === 'GET') {
    live.add({ credential, response, isStream: true });
    return sessions.get(credential, request, response);
  }
  if (request.method === 'DELETE') return sessions.delete(credential, request, response);
  if (request.method !== 'POST')
    return sendError(response, 405, -32600, 'Use POST.', { allow: 'GET, POST, DELETE' });

  const body = await readBody(request, options.maxMessageBytes);
  if (body === undefined)
    return sendError(response, 413, -32600, tooLong(options.maxMessageBytes), { connection: 'close' });
  const problem = structureProblem(body);
  if (problem !== undefined) return sendError(response, 400, -32600, problem);
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(body));
  } catch {
    return sendError(response, 400, -32700, 'Parse error: the body is not valid JSON.');
  }
  if (Array.isArray(message) && message.length <= maxMessages)
    rate.add(credential.actor.name, message.length - 1);
  const denied = findDenied(server, access, message);
  const stepUp = denied && authenticator?.stepUp(credential.actor, denied.scope);
  if (denied !== undefined && stepUp !== undefined) {
    const reason = `it needs the scope ${denied.scope}`;
    recordDenial(options, request, credential.actor, reason, describeRequest(denied.request));
    return sendError(response, 403, -32600, `This call needs the scope ${denied.scope}.`, {
      'www-authenticate': stepUp,
    });
  }
  const served =
    server.contract.modern && isModern(message, request)
      ? serveModern(server, access, message, request, response)
      : sessions.post(message, access, credential, request, response);
  // Most requests are answered by now.
  if (!response.writableEnded) live.add({ credential, response, isStream: isListen(message) });
  return served;
}

/** Returns whose token the request has. Otherwise, or if too many requests came with it, sends the reply. */
async function admit(
  options: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Credential | undefined> {
  const address = options.addressOf(request);
  const credential = (await options.authenticator?.authenticate(request.headers, address)) ?? ownerCredential;
  const isDenied = isDenial(credential);
  const waitSeconds = options.rate.take(isDenied ? `from ${address}` : credential.actor.name);
  if (waitSeconds > 0) return void tooManyRequests(waitSeconds, response);
  if (!isDenied) return credential;
  const { status, message, challenge, retrySeconds } = credential;
  // An outage of the authorization server says nothing about the token.
  if (status === 401) recordDenial(options, request, { name: 'nobody' }, message);
  sendError(response, status, -32600, message, {
    'www-authenticate': challenge,
    ...(retrySeconds !== undefined && { 'retry-after': String(retrySeconds) }),
  });
  return undefined;
}

function tooManyRequests(seconds: number, response: ServerResponse): void {
  const message = `Too many requests (setting http.requests_per_second). Try again in ${seconds} s.`;
  sendError(response, 429, -32600, message, { 'retry-after': String(seconds) });
}

/** Applies the headers with which a client restricts itself. They only take tools away. */
function tightened(access: Access, { headers }: IncomingMessage): Access {
  const selection = selectionFromHeaders(headers);
  return selection === undefined ? access : access.tightenedBy(selection);
}

function recordDenial(
  { audit, addressOf }: Endpoint,
  request: IncomingMessage,
  actor: Actor,
  reason: string,
  call = { action: `${request.method} ${(request.url ?? '').replace(/[?#].*$/s, '')}`, args: {} },
): void {
  const address = actor.name === 'nobody' ? addressOf(request) : undefined;
  audit?.record({ actor, ...call, address, outcome: 'denied', reason });
}

function isListen(message: unknown): boolean {
  return isObject(message) && message['method'] === 'subscriptions/listen';
}

/** The version in the body decides. Without one, the header does. */
function isModern(message: unknown, request: IncomingMessage): boolean {
  if (!isObject(message)) return false;
  if (isObject(message['params']) && claimedVersion(message['params']) !== undefined) return true;
  return request.headers['mcp-protocol-version'] === modernVersion;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function listen(listener: Listener, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, host, () => {
      listener.off('error', reject);
      resolve();
    });
  });
}

/** How often open requests are checked for revoked tokens. */
const checkMs = 500;

interface LiveRequest {
  readonly credential: Credential;
  readonly response: ServerResponse;
  /** A stream of changes must not outlive its token. Any other request may finish. */
  readonly isStream: boolean;
}

/** The requests in progress. Ends those whose token was revoked, and the streams whose token expired. */
class LiveRequests {
  readonly #requests = new Set<LiveRequest>();
  readonly #timer: NodeJS.Timeout;

  /** `onCheck` ends what does not belong to an open request. */
  constructor(onCheck: () => void) {
    this.#timer = setInterval(() => {
      onCheck();
      for (const { credential, response, isStream } of this.#requests) {
        const isExpired = isStream && credential.expiresAt !== undefined && credential.expiresAt < Date.now();
        if (isExpired || credential.isRevoked()) response.destroy();
      }
    }, checkMs);
    this.#timer.unref();
  }

  add(request: LiveRequest): void {
    this.#requests.add(request);
    request.response.on('close', () => this.#requests.delete(request));
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
