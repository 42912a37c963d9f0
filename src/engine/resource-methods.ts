import { Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { asIs, page } from './page.ts';

export async function listResources({ server, params, context }: Call): Promise<JsonObject> {
  const providers = server.features.flatMap((feature) => feature.resources ?? []);
  const lists = await Promise.all(providers.map((provider) => provider.list?.(context) ?? []));
  const templates = providers.flatMap((provider) => provider.templates ?? []);
  return page(server, 'resources', server.contract.resourceItems(lists.flat(), templates), asIs, params);
}

export function listTemplates({ server, params }: Call): JsonObject {
  const templates = server.features.flatMap((feature) => feature.resources?.templates ?? []);
  return page(server, 'resourceTemplates', templates as unknown as JsonObject[], asIs, params);
}

export async function readResource({ server, params, context }: Call): Promise<JsonObject> {
  const { sliceContents } = await import('./slice.ts');
  const uri = String(params['uri']);
  for (const { resources } of server.features) {
    const contents = await resources?.read(uri, context);
    if (contents === undefined) continue;
    const slices = contents.map((one) =>
      sliceContents(one, params['offset'] as number | undefined, params['limit'] as number | undefined),
    );
    return { contents: slices.map((slice) => server.contract.contents(slice.contents, slice.hash)) };
  }
  throw new Failure('resource-not-found', `Resource not found: ${uri}`, { data: { uri } });
}
