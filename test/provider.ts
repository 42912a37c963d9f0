import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Provider {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly Received[];
  /** Number of connections so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

/** A web server that gives the same answer to every request. With status 0 it closes the connection instead. */
export async function startProvider(
  status: number,
  answer = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<Provider> {
  const requests: Received[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    if (status === 0) request.socket.destroy();
    else response.writeHead(status, headers).end(answer);
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
