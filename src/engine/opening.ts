import { initializeResult } from '../contracts/initialize-result.ts';
import { Failure } from '../failure.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { notification } from './message.ts';
import { metaKeys } from './modern.ts';
import { maySubscribe } from './resource-methods.ts';

/** Validates by hand and synchronously: the next message relies on the result, and the validator would slow down the start. */
export function initialize({ session, server, params }: Call): JsonObject {
  const { contract } = server;
  const { capabilities: offered, instructions } = session.surface;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (protocolVersion !== undefined && typeof protocolVersion !== 'string') {
    throw new Failure('invalid-params', 'protocolVersion must be a string', {
      issues: [{ path: ['protocolVersion'], keyword: 'type', expected: 'string', message: 'must be string' }],
    });
  }
  const info = isObject(clientInfo) ? clientInfo : {};
  session.begin({
    name: String(info['name'] ?? ''),
    version: String(info['version'] ?? ''),
    protocolVersion: contract.negotiate(protocolVersion),
    capabilities: isObject(capabilities) ? capabilities : {},
  });
  return initializeResult(contract, offered, instructions, params as JsonObject);
}

/** Subscribes to changes in revision 2026-07-28: the request stays open until the client cancels it. */
export async function listen({ session, request, params, context }: Call): Promise<JsonObject> {
  const { surface } = session;
  const requested = params['notifications'] as Readonly<Record<string, unknown>>;
  const subscriptions = requested['resourceSubscriptions'];
  const uris: string[] = [];
  for (const uri of (Array.isArray(subscriptions) ? subscriptions : []).map(String))
    if (await maySubscribe(surface, uri, context)) uris.push(uri);
  const kinds = ['tools', 'prompts', 'resources'].filter(
    (kind) => requested[`${kind}ListChanged`] === true && surface.declares(kind, 'listChanged'),
  );
  const filter: JsonObject = {
    ...Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true])),
    ...(uris.length > 0 && surface.declares('resources', 'subscribe') && { resourceSubscriptions: uris }),
  };
  const _meta = { [metaKeys.subscriptionId]: request.id };
  session.send(
    notification('notifications/subscriptions/acknowledged', { notifications: filter, _meta }),
    request.id,
  );
  if (Object.keys(filter).length === 0 || context.signal.aborted) return { _meta };
  return new Promise((resolve) => {
    const end = () => {
      session.listens.delete(request.id);
      resolve({ _meta });
    };
    session.listens.set(request.id, { filter, end });
    context.signal.addEventListener('abort', end, { once: true });
  });
}
