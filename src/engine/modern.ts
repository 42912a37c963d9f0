import type { Client } from '../context.ts';
import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
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

/** Methods whose results carry a cache lifetime. It is always 0, because files can change at any time. */
const cacheable = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** The protocol revision in the request's `_meta`, if any. */
export function claimedVersion(params: Readonly<Record<string, unknown>>): unknown {
  return isObject(params['_meta']) ? params['_meta'][metaKeys.protocolVersion] : undefined;
}

/** Reads the client's name and capabilities from `_meta`, which every request of revision 2026-07-28 has. */
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

/** Adds the fields that every result of revision 2026-07-28 has. */
export function finishResult(method: string, result: JsonObject, server: JsonObject): JsonObject {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return {
    resultType: 'complete',
    ...(cacheable.has(method) && { ttlMs: 0, cacheScope: 'private' }),
    ...result,
    _meta: { ...(meta as JsonObject), [metaKeys.serverInfo]: server },
  };
}
