import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** Sends the request to the server behind the proxy. */
  forward(): Promise<Response>;
}

/** A reply, or `cut` to break the connection without one. */
type ProxiedReply = Response | 'cut';

export interface CalDavProxy {
  readonly url: string;
  /** Method and path of every request. */
  readonly requests: string[];
  /** Replaces the replies of the server; undefined to pass on all of them. */
  intercept: ((request: ProxiedRequest) => Promise<ProxiedReply>) | undefined;
  close(): Promise<void>;
}

/** Passes requests on to a real server, and lets a test break the replies. */
export async function startProxy(origin: string): Promise<CalDavProxy> {
  const requests: string[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    const { method = 'GET', url: path = '/' } = incoming;
    requests.push(`${method} ${path}`);
    const {
      connection,
      'content-length': length,
      'transfer-encoding': coding,
      ...headers
    } = incoming.headers;
    const forward = () =>
      fetch(new URL(path, origin), {
        method,
        headers: headers as Record<string, string>,
        redirect: 'manual',
        ...(pieces.length > 0 && { body }),
      });
    try {
      const request = { method, path, body, forward };
      const reply = await (proxy.intercept?.(request) ?? forward());
      if (reply === 'cut') return void outgoing.destroy();
      const text = await reply.text();
      const kept = [...reply.headers].filter(
        ([name]) => !/^(content-length|content-encoding|transfer-encoding|connection)$/.test(name),
      );
      outgoing.writeHead(reply.status, Object.fromEntries(kept)).end(text);
    } catch (error) {
      outgoing.writeHead(502).end(String(error));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: CalDavProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    intercept: undefined,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

/** The reply without one of its headers. */
export async function withoutHeader(reply: Response, name: string): Promise<Response> {
  const headers = new Headers(reply.headers);
  headers.delete(name);
  return new Response(await reply.text(), { status: reply.status, headers });
}
