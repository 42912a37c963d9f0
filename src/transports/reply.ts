import type { ServerResponse } from 'node:http';
import { encode } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';

/** Sends a JSON reply, unless the client has disconnected or a reply was sent already. */
export function sendJson(
  response: ServerResponse,
  status: number,
  message: JsonObject | readonly JsonObject[],
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = encode(message);
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

/** Sends an error of the transport as a JSON-RPC error. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } }, headers);
}
