import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Actor, isOwner } from '../context.ts';
import type { Finding } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import { sendError, sendJson } from './reply.ts';

export interface ProbeOptions {
  readiness?(): Promise<readonly Finding[]>;
  /** Metrics in the text format of Prometheus. */
  metrics?(): Promise<string>;
}

/** The addresses that load balancers and container platforms ask. */
export function isProbe(path: string): boolean {
  return path === '/livez' || path === '/readyz';
}

/** The address that monitoring asks. It needs a token. */
export const metricsPath = '/metrics';

export async function serveMetrics(
  { metrics = async () => '' }: ProbeOptions,
  { method }: IncomingMessage,
  response: ServerResponse,
  { rights }: Actor,
): Promise<void> {
  if (method !== 'GET') return sendError(response, 405, -32600, 'Use GET.', { allow: 'GET' });
  if (rights !== undefined && !rights.scopes.includes('metrics'))
    return sendError(response, 403, -32600, 'Metrics need a token with the scope metrics.');
  const body = await metrics();
  response
    .writeHead(200, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
    })
    .end(body);
}

/**
 * Answers a probe. `/livez` says that the process answers; `/readyz` has status 503 if a check failed. Everybody sees the
 * status. Only the owner sees the checks, because they name folders and the database.
 */
export async function serveProbe(
  { readiness = async () => [] }: ProbeOptions,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  actor?: Actor,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return sendError(response, 405, -32600, 'Use GET.', { allow: 'GET, HEAD' });
  const headers = { 'cache-control': 'no-store' };
  if (path === '/livez') return void sendJson(response, 200, { status: 'alive' }, headers);
  const checks = await readiness();
  const has = (state: Finding['state']) => checks.some((one) => one.state === state);
  const status = has('bad') ? 'unavailable' : has('warning') ? 'degraded' : 'ready';
  const isShown = actor !== undefined && isOwner(actor);
  const body = { status, ...(isShown && { checks }) } as unknown as JsonObject;
  sendJson(response, has('bad') ? 503 : 200, body, headers);
}
