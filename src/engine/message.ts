import { isObject, type JsonObject } from '../json.ts';
import { log } from '../log.ts';

export type RequestId = string | number;

export interface RequestMessage {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type Incoming =
  | { readonly kind: 'request'; readonly request: RequestMessage }
  | {
      readonly kind: 'notification';
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'response'; readonly id: RequestId; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: 'invalid'; readonly id: RequestId | null; readonly reason: string };

/** Tells what one JSON value is, as JSON-RPC 2.0 sees it. */
export function classify(message: unknown): Incoming {
  if (!isObject(message)) return invalid(null, 'a message must be an object');
  const { id, method, params } = message;
  const known = isRequestId(id) ? id : null;
  if (message['jsonrpc'] !== '2.0') return invalid(known, 'jsonrpc must be "2.0"');
  if (method === undefined && known !== null && ('result' in message || 'error' in message)) {
    return { kind: 'response', id: known, result: message['result'], error: message['error'] };
  }
  if (typeof method !== 'string') return invalid(known, 'method must be a string');
  if (params !== undefined && params !== null && !isObject(params))
    return invalid(known, 'params must be an object');
  const fields = params ?? {};
  if (!('id' in message)) return { kind: 'notification', method, params: fields };
  if (known === null) return invalid(null, 'id must be a string or an integer');
  return { kind: 'request', request: { id: known, method, params: fields } };
}

function invalid(id: RequestId | null, reason: string): Incoming {
  return { kind: 'invalid', id, reason: `Invalid request: ${reason}` };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

export function resultMessage(id: RequestId, result: JsonObject): JsonObject {
  return { jsonrpc: '2.0', id, result };
}

export function notification(method: string, params?: JsonObject): JsonObject {
  return { jsonrpc: '2.0', method, ...(params !== undefined && { params }) };
}

/**
 * The text of what is sent. A response that cannot be written (nested too deep, since it repeats what the client sent)
 * still has to be one; anything else that cannot is the fault of its sender.
 */
export function encode(message: JsonObject | readonly JsonObject[]): string {
  if (Array.isArray(message)) return `[${message.map(encode).join(',')}]`;
  const single = message as JsonObject;
  try {
    return JSON.stringify(single);
  } catch (error) {
    if ('method' in single) throw error;
    log('error', 'a response could not be written', error);
    return JSON.stringify({
      jsonrpc: '2.0',
      id: single['id'] ?? null,
      error: { code: -32603, message: 'Internal error: the response cannot be written as JSON.' },
    });
  }
}
