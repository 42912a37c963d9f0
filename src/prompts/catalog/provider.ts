import { type Awaitable, whenReady } from '../../awaitable.ts';
import type { Context } from '../../context.ts';
import type { Prompt, PromptProvider, RenderedPrompt } from '../../feature.ts';
import { escapeForClient } from '../rendering/client-escapes.ts';
import { askForMissing } from '../rendering/missing-arguments.ts';
import type { RecentValues } from '../rendering/recent-values.ts';
import { type Arguments, renderPrompt } from '../rendering/rendering.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { Usage } from './usage.ts';

export interface ProviderOptions {
  readonly catalog: Catalog;
  /** Finds a prompt by a name that may include a version. Default: only by its name. */
  readonly find?: (name: string) => Awaitable<CatalogEntry>;
  /** Whether to ask the user for missing arguments. */
  readonly asks: boolean;
  /** Recently used argument values, offered as completions. */
  readonly recent?: RecentValues;
  /** Counts uses. */
  readonly usage?: Usage | undefined;
  /** Whether to escape text that the client would execute. */
  readonly escapes?: boolean;
  /** Whether the result of `get` includes the prompt's revision. */
  readonly revisions?: boolean;
}

/** Serves the catalog over MCP. */
export class CatalogProvider implements PromptProvider {
  /** `undefined` if `recent` is not given, so the server offers no completion. */
  readonly complete?: NonNullable<PromptProvider['complete']>;
  readonly #options: ProviderOptions;
  readonly #prompts = new WeakMap<readonly CatalogEntry[], readonly Prompt[]>();

  constructor(options: ProviderOptions) {
    this.#options = options;
    const { catalog, recent } = options;
    if (recent === undefined) return;
    this.complete = async (name, argument, value, context) => {
      const { completeArgument } = await import('../rendering/completion.ts');
      const { definition } = await (options.find ?? ((own) => catalog.find(own)))(name);
      return completeArgument(definition, argument, value, recent, context);
    };
  }

  async list(): Promise<readonly Prompt[]> {
    const entries = await this.#options.catalog.list();
    const prompts = this.#prompts.get(entries) ?? entries.map(toPrompt);
    this.#prompts.set(entries, prompts);
    return prompts;
  }

  get(name: string, given: Arguments, context: Context): Awaitable<RenderedPrompt> {
    const { catalog, find = (own: string) => catalog.find(own), asks } = this.#options;
    return whenReady(find(name), (entry) =>
      whenReady(asks ? askForMissing(entry.definition, given, context) : given, (args) =>
        whenReady(renderPrompt(entry.definition, args, entry.source), (rendered) =>
          this.#finish(entry, args, rendered, context.client.name),
        ),
      ),
    );
  }

  #finish(
    entry: CatalogEntry,
    args: Arguments,
    plain: RenderedPrompt,
    client: string,
  ): Awaitable<RenderedPrompt> {
    const { catalog, recent, usage, escapes, revisions } = this.#options;
    const { name } = entry.definition;
    const rendered = escapes ? escapeForClient(plain, client) : plain;
    recent?.remember(name, args);
    usage?.record(name, client);
    if (!revisions) return rendered;
    return whenReady(catalog.revision(entry), (revision) => ({
      ...rendered,
      meta: { 'adjutant/revision': revision },
    }));
  }
}

function toPrompt({ definition, source }: CatalogEntry): Prompt {
  const { name, title, description, arguments: args, tags, uses } = definition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: args.map((argument) => ({
      name: argument.name,
      ...(argument.description !== undefined && { description: argument.description }),
      ...(argument.required !== undefined && { required: argument.required }),
    })),
    meta: {
      'adjutant/source': source.name,
      ...(tags.length > 0 && { 'adjutant/tags': tags }),
      ...(uses !== undefined && { 'adjutant/uses': uses }),
    },
  };
}
