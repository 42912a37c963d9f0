import type { Context } from '../../context.ts';
import type { Prompt, PromptProvider, RenderedPrompt } from '../../feature.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { PromptSource } from '../definition/source.ts';
import { type Arguments, askForMissing, type RecentValues } from '../rendering/arguments.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { Usage } from './usage.ts';

interface ProviderOptions {
  readonly catalog: Catalog;
  /** Finds a prompt by a name that may include a version. Default: only by its name. */
  readonly find?: (name: string) => Promise<CatalogEntry>;
  /** Whether to ask the user for missing arguments. */
  readonly asks: boolean;
  /** Recently used argument values, offered as completions. */
  readonly recent?: RecentValues;
  /** Counts uses. */
  readonly usage?: Usage | undefined;
  /** Whether to escape text that the client would execute. */
  readonly escapes?: boolean;
  /** Whether lists describe prompts without a description by their first sentence. */
  readonly derives?: boolean;
  /** Chooses the prompts to list. Default: all. */
  readonly choose?: (entries: readonly CatalogEntry[]) => Promise<readonly CatalogEntry[]>;
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

  async list(_?: Context, continues = false): Promise<readonly Prompt[]> {
    const { catalog, choose = async (all: readonly CatalogEntry[]) => all, derives = false } = this.#options;
    const entries = await choose(await catalog.list(continues));
    const prompts = this.#prompts.get(entries) ?? entries.map((entry) => toPrompt(entry, derives));
    this.#prompts.set(entries, prompts);
    return prompts;
  }

  async get(asked: string, given: Arguments, context: Context): Promise<RenderedPrompt> {
    const { catalog, find = (own: string) => catalog.find(own), asks } = this.#options;
    const { recent, usage, escapes, revisions } = this.#options;
    const entry = await find(asked);
    const { definition, source } = entry;
    const args = asks ? await askForMissing(definition, given, context) : given;
    const plain = await renderPrompt(definition, args, source);
    const client = context.client.name;
    const rendered = escapes ? escapeForClient(plain, client) : plain;
    recent?.remember(definition.name, args);
    usage?.record(definition.name, client);
    if (!revisions) return rendered;
    return { ...rendered, meta: { 'adjutant/revision': await catalog.revision(entry) } };
  }
}

function toPrompt({ definition, source }: CatalogEntry, derives: boolean): Prompt {
  const { name, title, arguments: args, tags, uses } = definition;
  const description = derives ? shownDescription(definition) : definition.description;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    arguments: listedArguments(args),
    meta:
      tags.length > 0 || uses !== undefined
        ? {
            'adjutant/source': source.name,
            ...(tags.length > 0 && { 'adjutant/tags': tags }),
            ...(uses !== undefined && { 'adjutant/uses': uses }),
          }
        : metaOf(source),
  };
}

type ListedArguments = Prompt['arguments'];
const listed = new WeakMap<PromptDefinition['arguments'], ListedArguments>();

/** Prompts with the same arguments share the list: a large library has many of them. */
function listedArguments(args: PromptDefinition['arguments']): ListedArguments {
  const known = listed.get(args);
  if (known !== undefined) return known;
  const own = args.map(({ name, description, required }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(required !== undefined && { required }),
  }));
  listed.set(args, own);
  return own;
}

const metas = new WeakMap<PromptSource, NonNullable<Prompt['meta']>>();

function metaOf(source: PromptSource): NonNullable<Prompt['meta']> {
  const meta = metas.get(source) ?? { 'adjutant/source': source.name };
  metas.set(source, meta);
  return meta;
}

/**
 * opencode treats the text of a prompt as a template: it fills in `$1` and `$ARGUMENTS`, then runs every command between
 * `` !` `` and `` ` ``. A placeholder between these two characters may turn out empty.
 */
const opencodeCommand = /!(?=(?:\$\d+|\$ARGUMENTS)*`)/g;

/** Separates what a client would execute in a prompt. A prompt is text, and no server may run commands through it. */
function escapeForClient(rendered: RenderedPrompt, client: string): RenderedPrompt {
  if (client !== 'opencode') return rendered;
  return {
    ...rendered,
    messages: rendered.messages.map((message) =>
      message.content.type === 'text'
        ? {
            ...message,
            content: { ...message.content, text: message.content.text.replaceAll(opencodeCommand, '! ') },
          }
        : message,
    ),
  };
}
