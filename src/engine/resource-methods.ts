import { type Context, isOwner } from '../context.ts';
import { Denied, Failure } from '../failure.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { asIs, page } from './page.ts';
import type { Surface } from './surface.ts';

export async function listResources({ session, server, params, context }: Call): Promise<JsonObject> {
  const { surface } = session;
  const lists = await Promise.all(
    surface.resourceProviders.map(async (provider) => provider.list?.(context) ?? []),
  );
  const listed = lists.flat().filter(({ uri }) => surface.access.allowsResource(uri, 'list'));
  return page(server, 'resources', server.contract.resourceItems(listed, templatesOf(surface)), asIs, params);
}

export async function listTemplates({ session, server, params }: Call): Promise<JsonObject> {
  return page(
    server,
    'resourceTemplates',
    templatesOf(session.surface) as unknown as JsonObject[],
    asIs,
    params,
  );
}

function templatesOf({ resourceProviders, access }: Surface) {
  return resourceProviders
    .flatMap((provider) => provider.templates ?? [])
    .filter(({ uriTemplate }) => access.allowsResource(uriTemplate, 'read'));
}

export async function readResource({ session, server, params, context }: Call): Promise<JsonObject> {
  const { sliceContents } = await import('./slice.ts');
  const uri = uriOf(params);
  if (!session.surface.access.allowsResource(uri, 'read')) throw notFound(uri, Denied);
  for (const resources of readable(session.surface, uri)) {
    const contents = await resources.read(uri, context);
    if (contents === undefined) continue;
    const slices = contents.map((one) =>
      sliceContents(one, params['offset'] as number | undefined, params['limit'] as number | undefined),
    );
    return { contents: slices.map((slice) => server.contract.contents(slice.contents, slice.hash)) };
  }
  throw notFound(uri);
}

export async function subscribeResource({ session, params, context }: Call): Promise<JsonObject> {
  const uri = uriOf(params);
  if (!(await maySubscribe(session.surface, uri, context))) throw notFound(uri, Denied);
  session.watchedResources.add(uri);
  return {};
}

/** The owner may subscribe to URIs that do not exist yet, others only to resources that they can read. */
export async function maySubscribe(surface: Surface, uri: string, context: Context): Promise<boolean> {
  if (isOwner(context.actor)) return surface.access.allowsResource(uri, 'read');
  for (const resources of readable(surface, uri))
    if ((await resources.read(uri, context)) !== undefined) return true;
  return false;
}

function readable({ access, resourceProviders }: Surface, uri: string) {
  return access.allowsResource(uri, 'read') ? resourceProviders : [];
}

/** No resource has a longer address. */
const maxUriLength = 8_192;

function uriOf(params: Readonly<Record<string, unknown>>): string {
  const uri = String(params['uri']);
  if (uri.length > maxUriLength)
    throw new Failure('invalid-params', `The address is longer than ${maxUriLength} characters.`);
  return uri;
}

/** What the caller may not read is reported as what does not exist. */
function notFound(uri: string, kind: typeof Failure = Failure): Failure {
  return new kind('resource-not-found', `Resource not found: ${uri}`, { data: { uri } });
}
