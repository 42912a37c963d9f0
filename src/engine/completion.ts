import type { CompletionContext, Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { PromptProvider, ResourceProvider } from '../feature.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { deriveContext } from './context.ts';

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
