import type { Context, Prompt, PromptProvider, RenderedPrompt } from '../feature.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import { askForMissing } from './missing-arguments.ts';
import { type Arguments, renderPrompt } from './rendering.ts';

export interface ProviderOptions {
  readonly catalog: Catalog;
  /** Whether the person may be asked for arguments that are missing. */
  readonly asks: boolean;
  /** Told of the arguments with which a prompt was rendered. */
  readonly used?: (name: string, args: Arguments) => void;
}

/** The catalogue as prompts of the protocol. */
export class CatalogProvider implements PromptProvider {
  readonly #options: ProviderOptions;
  readonly #prompts = new WeakMap<readonly CatalogEntry[], readonly Prompt[]>();

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  async list(): Promise<readonly Prompt[]> {
    const entries = await this.#options.catalog.list();
    const prompts = this.#prompts.get(entries) ?? entries.map(toPrompt);
    this.#prompts.set(entries, prompts);
    return prompts;
  }

  async get(name: string, given: Arguments, context: Context): Promise<RenderedPrompt> {
    const { catalog, asks, used } = this.#options;
    const { definition, source } = await catalog.find(name);
    const args = asks ? await askForMissing(definition, given, context) : given;
    const rendered = await renderPrompt(definition, args, source);
    used?.(name, args);
    return rendered;
  }
}

export function toPrompt({ definition, source }: CatalogEntry): Prompt {
  const { name, title, description, arguments: args, tags } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: args.map((argument) => ({
      name: argument.name,
      ...(argument.description !== undefined && { description: argument.description }),
      ...(argument.required !== undefined && { required: argument.required }),
    })),
    meta: { 'adjutant/source': source.name, ...(tags.length > 0 && { 'adjutant/tags': tags }) },
  };
}
