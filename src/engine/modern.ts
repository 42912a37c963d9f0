import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Client } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';

const prefix = 'io.modelcontextprotocol/';
export const metaKeys = {
  protocolVersion: `${prefix}protocolVersion`,
  clientInfo: `${prefix}clientInfo`,
  clientCapabilities: `${prefix}clientCapabilities`,
  serverInfo: `${prefix}serverInfo`,
  subscriptionId: `${prefix}subscriptionId`,
  logLevel: `${prefix}logLevel`,
} as const;

/** Results that say how long they may be kept. Ours change with the files, so they are stale at once. */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** The revision a request claims in its `_meta`, if any. */
export function claimedVersion(params: Readonly<Record<string, unknown>>): unknown {
  return isObject(params['_meta']) ? params['_meta'][metaKeys.protocolVersion] : undefined;
}

/** Who is asking, from the envelope that revision 2026-07-28 puts on every request. */
export function parseEnvelope(params: Readonly<Record<string, unknown>>): Client {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[metaKeys.protocolVersion];
  const capabilities = meta[metaKeys.clientCapabilities];
  const missing = [
    ...(typeof version === 'string' ? [] : [metaKeys.protocolVersion]),
    ...(isObject(capabilities) ? [] : [metaKeys.clientCapabilities]),
  ];
  if (missing.length > 0) {
    throw new Failure('invalid-params', `The request's _meta lacks ${missing.join(' and ')}.`, {
      data: { missing },
    });
  }
  if (version !== modernVersion) throw unsupportedVersion(version);
  const given = meta[metaKeys.clientInfo];
  const info = isObject(given) ? given : {};
  return {
    name: String(info['name'] ?? ''),
    version: String(info['version'] ?? ''),
    protocolVersion: modernVersion,
    capabilities: capabilities as Record<string, unknown>,
  };
}

export function unsupportedVersion(requested: unknown): Failure {
  return new Failure('unsupported-version', `Unsupported protocol version: ${String(requested)}`, {
    data: { supported: [modernVersion], requested },
  });
}

/** Adds what every result of this revision carries. */
export function finishResult(method: string, result: JsonObject, server: JsonObject): JsonObject {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return {
    resultType: 'complete',
    ...(cacheable.has(method) && { ttlMs: 0, cacheScope: 'private' }),
    ...result,
    _meta: { ...(meta as JsonObject), [metaKeys.serverInfo]: server },
  };
}
