import type { JsonObject } from '../../src/json.ts';
import { type Exchange, envelope } from '../reach.ts';

export type Headers = Readonly<Record<string, string>>;

/** Sends requests to a server with one token. */
export function httpClient(url: string, token: string) {
  const post = (body: object, headers: Headers = {}, path = '/mcp') =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    });
  const sendModern = (method: string, params: JsonObject, path?: string) => {
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': String(name) }),
    };
    return post({ method, params: { ...params, _meta: envelope } }, headers, path);
  };
  const modern =
    (path?: string): Exchange =>
    async (method, params) =>
      (await sendModern(method, params, path)).json();
  /** Opens a session of an older revision. */
  const session = async (path?: string) => {
    const opening = { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } };
    const begun = await post(opening, {}, path);
    return { 'mcp-session-id': begun.headers.get('mcp-session-id')! };
  };
  const legacy = async (path?: string): Promise<Exchange> => {
    const headers = await session(path);
    return async (method, params) => (await post({ method, params }, headers, path)).json();
  };
  return { post, sendModern, modern, legacy, session };
}
