import { initializeResult } from '../contracts/initialize-result.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { clientNames, metaKeys } from './envelope.ts';
import { notification } from './message.ts';
import { maySubscribe } from './resource-methods.ts';

/** Runs without the validator, which would slow down the start. The types of the envelope are enough. */
export async function initialize({ session, server, params }: Call): Promise<JsonObject> {
  const { contract } = server;
  const { capabilities: offered, instructions } = session.surface;
  const { protocolVersion, capabilities, clientInfo } = params;
  session.begin({
    ...clientNames(clientInfo),
    protocolVersion: contract.negotiate(protocolVersion),
    capabilities: isObject(capabilities) ? capabilities : {},
  });
  return initializeResult(contract, offered, instructions, params as JsonObject);
}

/** Subscribes to changes in revision 2026-07-28: the request stays open until the client cancels it. */
export async function listen({ session, request, params, context }: Call): Promise<JsonObject> {
  const { surface } = session;
  const requested = params['notifications'] as Readonly<Record<string, unknown>>;
  const subscriptions = (requested['resourceSubscriptions'] ?? []) as readonly string[];
  const uris: string[] = [];
  for (const uri of subscriptions) if (await maySubscribe(surface, uri, context)) uris.push(uri);
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
