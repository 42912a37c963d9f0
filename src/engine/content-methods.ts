// Handlers of the methods that list and read prompts and resources, and that complete their arguments.
import type { ResourceContents } from '../content.ts';
import { type CompletionContext, type Context, isOwner } from '../context.ts';
import { Denied, Failure } from '../failure.ts';
import type { Prompt, PromptProvider, ResourceProvider } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Call, Host } from './call.ts';
import { deriveContext } from './context.ts';
import type { Surface } from './surface.ts';

/** Returns the requested page of a list, with the items in the contract's format. */
export function page<Item>(
  { contract }: Host,
  key: string,
  items: readonly Item[],
  shape: (item: Item) => JsonObject,
  params: Readonly<Record<string, unknown>>,
): JsonObject {
  const { cursor } = params;
  const start = contract.startOf(cursor);
  const end = start + contract.pageSize;
  return {
    [key]: items.slice(start, end).map(shape),
    ...contract.nextCursor(end < items.length ? String(end) : undefined, cursor),
  };
}

function asIs(item: JsonObject): JsonObject {
  return item;
}

export async function listPrompts({ session, server, params, context }: Call): Promise<JsonObject> {
  const providers = session.surface.promptProviders('list');
  const continues = server.contract.startOf(params['cursor']) > 0;
  const lists = await Promise.all(providers.map(async (provider) => provider.list(context, continues)));
  return page(server, 'prompts', joined(lists), server.contract.promptItem, params);
}

/** The last result for each first list: joining costs as much as the whole library, a page should not. */
const known = new WeakMap<
  readonly Prompt[],
  { readonly lists: readonly (readonly Prompt[])[]; readonly prompts: readonly Prompt[] }
>();

/** Of prompts with the same name, the first one wins. */
function joined(lists: readonly (readonly Prompt[])[]): readonly Prompt[] {
  const [first = []] = lists;
  if (lists.length < 2) return first;
  const last = known.get(first);
  if (last?.lists.length === lists.length && lists.every((list, index) => list === last.lists[index]))
    return last.prompts;
  const names = new Set<string>();
  const prompts = lists.flat().filter(({ name }) => !names.has(name) && names.add(name));
  known.set(first, { lists, prompts });
  return prompts;
}

/** Asks the providers in their order until one has the prompt. */
export async function getPrompt({ session, server, params, context }: Call): Promise<JsonObject> {
  const name = String(params['name']);
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const provider of session.surface.promptProviders('get'))
    try {
      return server.contract.prompt(await provider.get(name, args, context));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
    }
  throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
}

export async function complete({ session: { surface }, params, context }: Call): Promise<JsonObject> {
  const ref = params['ref'] as Readonly<Record<string, unknown>>;
  const argument = params['argument'] as { name: string; value: string };
  const given =
    isObject(params['context']) && isObject(params['context']['arguments'])
      ? params['context']['arguments']
      : {};
  const completion: CompletionContext = deriveContext(context, { given: given as Record<string, string> });
  const target = ((ref['type'] === 'ref/prompt' ? ref['name'] : ref['uri']) ?? '') as string;
  const providers: readonly (PromptProvider | ResourceProvider)[] =
    ref['type'] === 'ref/prompt'
      ? surface.promptProviders('get')
      : surface.resourceProviders.filter(() => surface.access.allowsResource(target, 'list'));
  for (const provider of providers) {
    const values = provider.complete
      ? await provider.complete(target, argument.name, argument.value, completion)
      : await noSuggestions(target, provider, context);
    if (values === undefined) continue;
    return {
      completion: { values: values.slice(0, 100), total: values.length, hasMore: values.length > 100 },
    };
  }
  throw new Failure(
    ref['type'] === 'ref/prompt' ? 'prompt-not-found' : 'resource-not-found',
    `Cannot complete: ${target} not found`,
  );
}

/** Returns an empty list if the provider has the target, and `undefined` if it does not. */
async function noSuggestions(
  target: string,
  provider: PromptProvider | ResourceProvider,
  context: Context,
): Promise<readonly string[] | undefined> {
  const known =
    'get' in provider
      ? (await provider.list(context)).some(({ name }) => name === target)
      : provider.templates?.some(({ uriTemplate }) => uriTemplate === target);
  return known ? [] : undefined;
}

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
  const uri = uriOf(params);
  if (!session.surface.access.allowsResource(uri, 'read')) throw notFound(uri, Denied);
  for (const resources of readable(session.surface, uri)) {
    const contents = await resources.read(uri, context);
    if (contents === undefined) continue;
    const { offset, limit } = params as { readonly offset?: number; readonly limit?: number };
    const slices = await Promise.all(contents.map((one) => sliceContents(one, offset, limit)));
    return { contents: slices.map((slice) => server.contract.contents(slice.contents, slice.hash)) };
  }
  throw notFound(uri);
}

export async function subscribeResource({ session, params, context }: Call): Promise<JsonObject> {
  const uri = uriOf(params);
  if (!(await followResource(session.surface, uri, context))) throw notFound(uri, Denied);
  session.watchedResources.add(uri);
  return {};
}

/** Makes sure that changes of the resource are reported. False if the actor may not subscribe to it. */
export async function followResource(surface: Surface, uri: string, context: Context): Promise<boolean> {
  if (!(await maySubscribe(surface, uri, context))) return false;
  for (const { follow } of readable(surface, uri)) await follow?.(uri, context);
  return true;
}

/** The owner may subscribe to URIs that do not exist yet, others only to resources that they can read. */
async function maySubscribe(surface: Surface, uri: string, context: Context): Promise<boolean> {
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

interface Slice {
  readonly contents: ResourceContents;
  /** Hash of the whole content, not of the slice. */
  readonly hash: string;
}

/** Returns at most `limit` bytes from `offset`, without splitting a character. */
async function sliceContents(contents: ResourceContents, offset = 0, limit?: number): Promise<Slice> {
  const { createHash } = await import('node:crypto');
  const bytes = 'text' in contents ? Buffer.from(contents.text) : Buffer.from(contents.blob, 'base64');
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  if (offset === 0 && (limit === undefined || limit >= bytes.length)) return { contents, hash };
  if (!('text' in contents)) {
    const part = bytes.subarray(offset, limit === undefined ? undefined : offset + limit);
    return { contents: { ...contents, blob: part.toString('base64') }, hash };
  }
  const start = characterStart(bytes, Math.min(offset, bytes.length));
  const end =
    limit === undefined ? bytes.length : characterStart(bytes, Math.min(offset + limit, bytes.length));
  if (end <= start && limit !== undefined && start < bytes.length) {
    throw new Failure(
      'invalid-params',
      `The limit of ${limit} bytes is smaller than the character at offset ${start}.`,
    );
  }
  return { contents: { ...contents, text: bytes.toString('utf8', start, end) }, hash };
}

/** Moves a position inside a character to the character's first byte, so that consecutive slices join without a gap. */
function characterStart(bytes: Buffer, position: number): number {
  let start = position;
  while (start > 0 && start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start--;
  return start;
}
