import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** In front of several servers, as a load balancer is: in turns, but all of a session to the one that began it. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Which server got each request, in order. */
  readonly turns: readonly number[];
}

export async function startBalancer(servers: readonly string[]): Promise<Balancer> {
  const sessions = new Map<string, number>();
  const turns: number[] = [];
  let last = -1;

  /** The next one gets what a dead one cannot take. */
  const pass = (
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    at: number,
    left: number,
  ) => {
    const target = new URL(incoming.url ?? '/', servers[at]);
    const { method, headers } = incoming;
    const passed = request(target, { method, headers }, (response) => {
      turns.push(at);
      const session = response.headers['mcp-session-id'];
      if (typeof session === 'string') sessions.set(session, at);
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    passed.on('error', () => {
      if (outgoing.headersSent) outgoing.destroy();
      else if (left > 0) pass(incoming, body, outgoing, (at + 1) % servers.length, left - 1);
      else outgoing.writeHead(502).end();
    });
    outgoing.on('close', () => passed.destroy());
    passed.end(body);
  };

  const balancer = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const session = incoming.headers['mcp-session-id'];
    const own = typeof session === 'string' ? sessions.get(session) : undefined;
    if (own === undefined) last = (last + 1) % servers.length;
    pass(incoming, Buffer.concat(chunks), outgoing, own ?? last, servers.length - 1);
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
