import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A load balancer: sends requests to several servers in turn, but all requests of a session to the same server. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Index of the server that answered each request, in order. */
  readonly turns: readonly number[];
}

export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const sessions = new Map<string, number>();
  const turns: number[] = [];
  let last = -1;

  /** Forwards a request. If the server does not respond, the next one gets it. */
  const forward = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    server: number,
    attemptsLeft: number,
  ) => {
    const target = new URL(incoming.url ?? '/', servers[server]);
    const { method, headers } = incoming;
    const forwarded = request(target, { method, headers }, (response) => {
      turns.push(server);
      const session = response.headers['mcp-session-id'];
      if (typeof session === 'string') sessions.set(session, server);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else if (attemptsLeft > 0)
        forward(incoming, body, outgoing, (server + 1) % servers.length, attemptsLeft - 1);
      else outgoing.writeHead(502).end();
    });
    outgoing.on('close', () => forwarded.destroy());
    forwarded.end(body);
  };

  const balancer = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const session = incoming.headers['mcp-session-id'];
    const sessionServer = typeof session === 'string' ? sessions.get(session) : undefined;
    if (sessionServer === undefined) last = (last + 1) % servers.length;
    forward(incoming, Buffer.concat(chunks), outgoing, sessionServer ?? last, servers.length - 1);
  }).listen(0, '127.0.0.1');
  await once(balancer, 'listening');
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    turns,
    async [Symbol.asyncDispose]() {
      balancer.close();
      balancer.closeAllConnections();
    },
  };
}
