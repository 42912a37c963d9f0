import { Failure } from '../failure.ts';
import type { Prompt } from '../feature.ts';
import type { JsonObject } from '../json.ts';
import type { Call } from './call.ts';
import { page } from './page.ts';

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
