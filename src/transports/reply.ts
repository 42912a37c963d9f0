import type { ServerResponse } from 'node:http';
import { encode } from '../engine/message.ts';
import type { JsonObject } from '../json.ts';

/** A JSON answer, if there is still somebody to take it. */
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

/** An error of the transport itself, in the shape clients of the protocol read. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, status, { jsonrpc: '2.0', id: null, error: { code, message } }, headers);
}
