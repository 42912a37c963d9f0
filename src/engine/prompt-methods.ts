import { Failure } from '../failure.ts';
import type { Prompt } from '../feature.ts';
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

export async function getPrompt({ session, server, params, context }: Call): Promise<JsonObject> {
  const name = String(params['name']);
  const args = (params['arguments'] ?? {}) as Readonly<Record<string, unknown>>;
  for (const prompts of session.surface.promptProviders('get')) {
    try {
      return server.contract.prompt(await prompts.get(name, args, context));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
    }
  }
  throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
}
