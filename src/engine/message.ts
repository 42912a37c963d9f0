import type { Issue } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import { log } from '../log.ts';
import { wrongType } from './envelope.ts';

export type RequestId = string | number;

export interface RequestMessage {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** A value that makes the request invalid. Only the session, which replies, may go on with such a request. */
  readonly issue?: Issue;
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

/** Classifies a JSON value as a JSON-RPC 2.0 message. */
export function classify(message: unknown): Incoming {
  if (!isObject(message)) return invalid(null, 'a message must be an object');
  const { id, method, params } = message;
  const validId = isRequestId(id) ? id : null;
  if (message['jsonrpc'] !== '2.0') return invalid(validId, 'jsonrpc must be "2.0"');
  if (method === undefined && validId !== null && ('result' in message || 'error' in message)) {
    return { kind: 'response', id: validId, result: message['result'], error: message['error'] };
  }
  if (typeof method !== 'string') return invalid(validId, 'method must be a string');
  if (params !== undefined && params !== null && !isObject(params))
    return invalid(validId, 'params must be an object');
  const fields = params ?? {};
  if (!('id' in message)) return { kind: 'notification', method, params: fields };
  if (validId === null) return invalid(null, 'id must be a string or an integer');
  const issue = wrongType(method, fields);
  return { kind: 'request', request: { id: validId, method, params: fields, ...(issue && { issue }) } };
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
 * Serializes a message. A response that JSON.stringify rejects (for example because it repeats input that is nested too deep)
 * becomes an error response. For other messages the error is thrown.
 */
export function encode(message: JsonObject | readonly JsonObject[]): string {
  if (Array.isArray(message)) return `[${message.map(encode).join(',')}]`;
  const single = message as JsonObject;
  try {
    return JSON.stringify(single);
  } catch (error) {
    if ('method' in single) throw error;
    log('error', 'cannot serialize a response', error);
    return JSON.stringify({
      jsonrpc: '2.0',
      id: single['id'] ?? null,
      error: { code: -32603, message: 'Internal error: the response cannot be serialized as JSON.' },
    });
  }
}
