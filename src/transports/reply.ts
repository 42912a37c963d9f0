import type { ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';
import { encode } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';
import { isForBrowser, sendMessagePage } from '../message-page.ts';

/** The page's own address for MCP, where toolsets do not apply. Clients are given `/mcp`. */
export const pagePath = '/page/mcp';

/** A reply below this size fits into one packet anyway. */
const minCompressedBytes = 1400;

/** Sends a JSON reply, unless the client has disconnected or a reply was sent already. Returns its length. */
export function sendJson(
  response: ServerResponse,
  status: number,
  message: JsonObject | readonly JsonObject[],
  headers: Readonly<Record<string, string>> = {},
): number {
  if (response.headersSent || response.destroyed) return 0;
  const send = (body: Buffer, encoding = {}) => {
    if (response.headersSent || response.destroyed) return;
    response
      .writeHead(status, {
        'content-type': 'application/json',
        'content-length': body.length,
        ...encoding,
        ...headers,
      })
      .end(body);
  };
  const body = Buffer.from(encode(message));
  if (body.length < minCompressedBytes || !acceptsCompression(response)) send(body);
  else
    gzip(body, { level: 4 }, (error, compressed) =>
      error ? send(body) : send(compressed, { 'content-encoding': 'gzip' }),
    );
  return body.length;
}

/** Only the page gets compressed replies: it may be used over a slow line, and every browser can decompress them. */
function acceptsCompression({ req }: ServerResponse): boolean {
  return req.url === pagePath && /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? ''));
}

/** Sends an error of the transport as a JSON-RPC error, or as a page if a person opened the address in a browser. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (isForBrowser(response)) return sendMessagePage(response, status, message, { headers });
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } }, headers);
}
