import type { Client } from '../context.ts';
import { modernVersion } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import { clientNames, metaKeys } from './envelope.ts';
import type { RequestMessage } from './message.ts';

/** How long clients may cache a result, in milliseconds. Clients that subscribe to changes hear of them earlier. */
const lifetimes: Readonly<Record<string, number>> = {
  'server/discover': 300_000,
  'tools/list': 300_000,
  'prompts/list': 5_000,
  'resources/list': 5_000,
  'resources/templates/list': 5_000,
  'resources/read': 0,
};

/** The protocol revision in the request's `_meta`, if any. */
export function claimedVersion(params: Readonly<Record<string, unknown>>): unknown {
  return isObject(params['_meta']) ? params['_meta'][metaKeys.protocolVersion] : undefined;
}

/** Reads the client's name and capabilities from `_meta`, which every request of revision 2026-07-28 has. */
export function parseEnvelope(params: Readonly<Record<string, unknown>>): Client {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const version = meta[metaKeys.protocolVersion];
  const capabilities = meta[metaKeys.clientCapabilities];
  if (typeof version !== 'string' || !isObject(capabilities)) {
    const missing = [
      ...(typeof version === 'string' ? [] : [metaKeys.protocolVersion]),
      ...(isObject(capabilities) ? [] : [metaKeys.clientCapabilities]),
    ];
    throw new Failure('invalid-params', `The request's _meta lacks ${missing.join(' and ')}.`, {
      data: { missing },
    });
  }
  if (version !== modernVersion) throw unsupportedVersion(version);
  return { ...clientNames(meta[metaKeys.clientInfo]), protocolVersion: modernVersion, capabilities };
}

export function unsupportedVersion(requested: unknown): Failure {
  return new Failure('unsupported-version', `Unsupported protocol version: ${String(requested)}`, {
    data: { supported: [modernVersion], requested },
  });
}

/** Adds the fields that every result of revision 2026-07-28 has. */
export function finishResult(request: RequestMessage, result: JsonObject, server: JsonObject): JsonObject {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  return {
    resultType: 'complete',
    ...cachingHints(request),
    ...result,
    _meta: { ...(meta as JsonObject), [metaKeys.serverInfo]: server },
  };
}

function cachingHints({ method, params }: RequestMessage): JsonObject {
  if (!Object.hasOwn(lifetimes, method)) return {};
  // The files of user interfaces are the same for everybody and change only with the version.
  if (method === 'resources/read' && String(params['uri']).startsWith('ui://'))
    return { ttlMs: 3_600_000, cacheScope: 'public' };
  return { ttlMs: lifetimes[method]!, cacheScope: 'private' };
}
