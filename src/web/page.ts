import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { isForBrowser, sendMessagePage } from '../message-page.ts';
import { pageFolder, readPageFile } from './apps.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
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
} as const;

/** Serves the static files of the page. They hold no data: the page requests its data from /page/mcp with the token. */
export async function servePage(
  path: string,
  response: ServerResponse,
  { method = 'GET', headers: requested = {} }: Partial<Pick<IncomingMessage, 'method' | 'headers'>>,
): Promise<void> {
  const refuse = (status: number, text: string, extra = {}) => {
    if (isForBrowser(response)) return sendMessagePage(response, status, text, { headers: extra });
    response
      .writeHead(status, { ...headers, ...extra, 'content-type': 'text/plain; charset=utf-8' })
      .end(`${text}\n`);
  };
  const name = path === '/' ? 'index.html' : (/^\/([\w-]+\.(?:js|css|svg))$/.exec(path)?.[1] ?? '');
  if (name === '' || !existsSync(join(pageFolder(), name))) return refuse(404, 'Not found');
  if (method !== 'GET' && method !== 'HEAD')
    return refuse(405, 'Use GET or HEAD for the page. Send MCP messages to /mcp.', { allow: 'GET, HEAD' });
  const content = await readPageFile(name);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const common = {
    ...headers,
    etag,
    vary: 'accept-encoding',
    // The name of a chunk contains a digest of its content, so it never changes.
    'cache-control': /-[A-Z0-9]{8}\.js$/.test(name) ? 'max-age=31536000, immutable' : 'no-cache',
  };
  if (requested['if-none-match'] === etag) {
    response.writeHead(304, common).end();
    return;
  }
  const { body, encoding } = await encoded(content, etag, String(requested['accept-encoding'] ?? ''));
  response
    .writeHead(200, {
      ...common,
      'content-type': types[extname(name)],
      'content-length': body.length,
      ...(encoding && { 'content-encoding': encoding }),
    })
    .end(body);
}

interface Encoded {
  readonly body: Buffer;
  readonly encoding?: 'br' | 'gzip';
}

const compressed = new Map<string, Promise<Buffer>>();

/** Compresses a file in the best way that the browser accepts. Every file is compressed once. */
async function encoded(content: Buffer, etag: string, accepted: string): Promise<Encoded> {
  const encoding = (['br', 'gzip'] as const).find((one) => new RegExp(`\\b${one}\\b`).test(accepted));
  if (encoding === undefined) return { body: content };
  const known = compressed.get(encoding + etag) ?? compressors[encoding](content);
  compressed.set(encoding + etag, known);
  return { body: await known, encoding };
}

const compressors = {
  br: (content: Buffer) =>
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (content: Buffer) => promisify(gzip)(content),
};
