import type { Server as Listener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Open files that the server keeps for itself: databases, watched folders, run files, chunks that are loaded on first use. */
const ownFiles = 72;
const fewest = 8;
/** A connection is unused only after this time: the request of a new one may be on its way. */
const unusedAfterMs = 250;

interface Use {
  readonly requests: number;
  readonly sinceMs: number;
}

/**
 * Limits the open connections. If there are too many, the connection closes that has been unused longest. A connection is in
 * use while it carries a request whose token was accepted. If all are in use, a new one is answered with status 503.
 */
export class ConnectionLimit {
  readonly #most: number;
  /** Least recently used first. */
  readonly #connections = new Map<Socket, Use>();

  constructor(listener: Listener, most: number) {
    this.#most = most;
    listener.on('connection', (socket: Socket) => this.#open(socket));
  }

  /** Keeps the connection open until the response has ended. */
  use({ socket }: { readonly socket: Socket }, response: ServerResponse): void {
    this.#count(socket, 1);
    response.on('close', () => this.#count(socket, -1));
  }

  #open(socket: Socket): void {
    if (this.#connections.size >= this.#most) {
      const unused = this.#findUnused();
      if (unused === undefined) return refuse(socket, this.#most);
      this.#connections.delete(unused);
      unused.destroy();
    }
    this.#connections.set(socket, { requests: 0, sinceMs: Date.now() });
    socket.once('close', () => this.#connections.delete(socket));
  }

  #findUnused(): Socket | undefined {
    const beforeMs = Date.now() - unusedAfterMs;
    for (const [socket, { requests, sinceMs }] of this.#connections) {
      // The others were used even later.
      if (sinceMs > beforeMs) return undefined;
      if (requests === 0) return socket;
    }
    return undefined;
  }

  #count(socket: Socket, change: number): void {
    const use = this.#connections.get(socket);
    if (use === undefined) return;
    this.#connections.delete(socket);
    this.#connections.set(socket, { requests: use.requests + change, sinceMs: Date.now() });
  }
}

/** The number of connections for which the process may open enough files. */
export function affordableConnections(wanted: number): number {
  // Without this, the report looks up the names of network addresses.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { userLimits } = report.getReport() as {
    userLimits?: { open_files?: { soft: number | 'unlimited' } };
  };
  const files = userLimits?.open_files?.soft;
  return typeof files === 'number' ? Math.min(wanted, Math.max(fewest, files - ownFiles)) : wanted;
}

function refuse(socket: Socket, most: number): void {
  const message = `All ${most} connections are in use (setting http.max_connections).`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
  socket.on('error', () => {});
  socket.end(
    [
      'HTTP/1.1 503 Service Unavailable',
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Retry-After: 1',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    () => socket.destroy(),
  );
}
