import { promises as disk, existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

const files: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/main.js': { name: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/main.css': { name: 'main.css', type: 'text/css; charset=utf-8' },
  '/icon.svg': { name: 'icon.svg', type: 'image/svg+xml' },
};

/** Blocks content from other hosts, inline scripts and styles, text inserted as markup, and framing. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-cache',
} as const;

/** Serves the static files of the page. They hold no data: the page requests its data from /page/mcp with the token. */
export async function servePage(
  path: string,
  response: ServerResponse,
  { method = 'GET' }: Pick<IncomingMessage, 'method'>,
): Promise<void> {
  const file = Object.hasOwn(files, path) ? files[path] : undefined;
  const refuse = (status: number, text: string, extra = {}) => {
    response
      .writeHead(status, { ...headers, ...extra, 'content-type': 'text/plain; charset=utf-8' })
      .end(text);
  };
  if (file === undefined) return refuse(404, 'Not found\n');
  if (method !== 'GET' && method !== 'HEAD')
    return refuse(405, 'Use GET or HEAD for the page. Send MCP messages to /mcp.\n', { allow: 'GET, HEAD' });
  const content = await readPageFile(file.name);
  response
    .writeHead(200, { ...headers, 'content-type': file.type, 'content-length': content.length })
    .end(content);
}

export function readPageFile(name: string): Promise<Buffer> {
  return disk.readFile(join(pageFolder(), name));
}

/** `page` is next to the bundle. When the server runs from source, the page is in `dist`. */
function pageFolder(): string {
  const nextToBundle = join(import.meta.dirname, 'page');
  return existsSync(join(nextToBundle, 'main.js'))
    ? nextToBundle
    : join(import.meta.dirname, '..', '..', 'dist', 'page');
}
