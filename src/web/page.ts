import { promises as disk, existsSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';

const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/main.js': { name: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/main.css': { name: 'main.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Nothing of another host is loaded, nothing inline is run, nobody may frame us. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the page. It holds no data: what it shows it asks for at /mcp, with the token from its address. */
export async function servePage(path: string, response: ServerResponse): Promise<void> {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  if (file === undefined) {
    response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n');
    return;
  }
  const content = await disk.readFile(join(pageFolder(), file.name));
  response
    .writeHead(200, {
      'content-type': file.type,
      'content-length': content.length,
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    })
    .end(content);
}

/** Beside the bundle; from the sources, where the build put it. */
function pageFolder(): string {
  const beside = join(import.meta.dirname, 'page');
  return existsSync(join(beside, 'main.js')) ? beside : join(import.meta.dirname, '..', '..', 'dist', 'page');
}
