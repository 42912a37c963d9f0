import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy that serves what is at `target` below a prefix, and nothing else, like a `location` of nginx. */
export async function startPrefixProxy(
  prefix: string,
  target: string,
): Promise<AsyncDisposable & { readonly url: string; readonly outside: readonly string[] }> {
  /** Paths that were asked for outside of the prefix. */
  const outside: string[] = [];
  const proxy = createServer((incoming, outgoing) => {
    if (!incoming.url?.startsWith(prefix)) {
      outside.push(String(incoming.url));
      return void outgoing.writeHead(404).end();
    }
    const { method, headers } = incoming;
    const path = `/${incoming.url.slice(prefix.length)}`;
    const forwarded = request(new URL(path, target), { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}`,
    outside,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
