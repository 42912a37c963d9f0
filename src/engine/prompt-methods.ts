import { type Awaitable, attempt } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { Prompt, PromptProvider } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { page } from './page.ts';

export async function listPrompts({ session, server, params, context }: Call): Promise<JsonObject> {
  const providers = session.surface.promptProviders('list');
  const lists = await Promise.all(providers.map((provider) => provider.list(context)));
  const prompts: readonly Prompt[] = lists.length === 1 ? lists[0]! : uniqueByName(lists.flat());
  return page(server, 'prompts', prompts, server.contract.promptItem, params);
}

/** Of prompts with the same name, the first one wins. */
function uniqueByName(prompts: readonly Prompt[]): readonly Prompt[] {
  return [...new Map(prompts.toReversed().map((prompt) => [prompt.name, prompt])).values()].reverse();
}

export function getPrompt(call: Call): Awaitable<JsonObject> {
  return getFrom(call.session.surface.promptProviders('get'), call);
}

/** Asks the providers in their order until one has the prompt. */
function getFrom([provider, ...others]: readonly PromptProvider[], call: Call): Awaitable<JsonObject> {
  const { server, params, context } = call;
  const name = String(params['name']);
  if (provider === undefined) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, unknown>>;
  return attempt(
    () => provider.get(name, args, context),
    (rendered) => server.contract.prompt(rendered),
    (error) => {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
      return getFrom(others, call);
    },
  );
}
