import type { Content } from '../../content.ts';
import type { Client, Context } from '../../context.ts';
import type { Prompt, PromptProvider, RenderedPrompt } from '../../feature.ts';
import { present } from '../../json.ts';
import { log } from '../../log.ts';
import { patienceOf } from '../../pace.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { shownDescription } from '../definition/shown-description.ts';
import type { PromptSource } from '../definition/source.ts';
import { type Arguments, askForMissing, type RecentValues } from '../rendering/arguments.ts';
import { renderPrompt, withTexts } from '../rendering/rendering.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { LastListed } from './last-listed.ts';
import type { Filing } from './shelf.ts';
import { linksTo, type SkillAddress, withAddresses } from './skill-addresses.ts';
import { argumentsForWords, argumentsFromWords, dropsWords } from './typed-words.ts';
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
  /** How a person has filed the prompts, for the page. */
  readonly filings?: () => Promise<ReadonlyMap<string, Filing>>;
  /** Chooses the prompts to list for a client. Default: all. The page and the command line always list all. */
  readonly choose?: (
    entries: readonly CatalogEntry[],
    client: Client | undefined,
  ) => Promise<readonly CatalogEntry[]>;
  /** Keeps the list for clients that do not wait until all files are read. */
  readonly last?: LastListed | undefined;
  /** Where clients that cannot read files of this machine find those of a skill. */
  readonly skillAddress?: SkillAddress | undefined;
  /** Whether the result of `get` includes the prompt's revision. */
  readonly revisions?: boolean;
}

/** Serves the catalog over MCP. */
export class CatalogProvider implements PromptProvider {
  /** `undefined` if `recent` is not given, so the server offers no completion. */
  readonly complete?: NonNullable<PromptProvider['complete']>;
  readonly #options: ProviderOptions;
  readonly #prompts = new WeakMap<readonly CatalogEntry[], readonly Prompt[]>();
  /** For clients that give every argument one word. */
  readonly #forWords = new WeakMap<readonly CatalogEntry[], readonly Prompt[]>();
  #lastFiled:
    | {
        readonly entries: readonly CatalogEntry[];
        readonly filings: ReadonlyMap<string, Filing>;
        readonly prompts: readonly Prompt[];
      }
    | undefined;

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

  async list(context?: Context, continues = false): Promise<readonly Prompt[]> {
    const { catalog, filings, derives = false } = this.#options;
    const patience = derives && !continues ? patienceOf(context?.client.name) : undefined;
    if (patience !== undefined && context?.isPersonal !== true) return this.#listWithin(patience, context);
    const all = await catalog.list(continues);
    if (context?.isPersonal && filings !== undefined) return this.#filed(all, await filings());
    return this.#chosen(all, context);
  }

  /**
   * If reading all files takes longer: the list of the last connection, at once, or else a part. A notification follows when
   * all are read. The list is kept only while reading takes that long.
   */
  async #listWithin(milliseconds: number, context: Context | undefined): Promise<readonly Prompt[]> {
    const { catalog, last } = this.#options;
    const kept = catalog.isRead ? undefined : await last?.read();
    const start = performance.now();
    const { entries, isWhole } = await catalog.listWithin(kept === undefined ? milliseconds : 0);
    if (isWhole) return this.#chosen(entries, context);
    // Clients that end early do not ask again after the notification.
    catalog
      .list()
      .then(async (all) => {
        if (performance.now() - start < milliseconds) last?.remove();
        else last?.write(await this.#chosen(all, context));
      })
      .catch((error: unknown) => log('debug', 'the list of prompts could not be kept', error));
    return kept ?? this.#chosen(entries, context);
  }

  async #chosen(all: readonly CatalogEntry[], context: Context | undefined): Promise<readonly Prompt[]> {
    const { choose, derives = false } = this.#options;
    const entries = (await choose?.(all, context?.client)) ?? all;
    const known = derives && dropsWords(context?.client.name) ? this.#forWords : this.#prompts;
    const prompts =
      known.get(entries) ?? entries.map((entry) => this.#toPrompt(entry, known === this.#forWords));
    known.set(entries, prompts);
    return prompts;
  }

  #toPrompt(entry: CatalogEntry, takesWords: boolean): Prompt {
    const prompt = toPrompt(entry, this.#options.derives ?? false);
    if (!takesWords) return prompt;
    return { ...prompt, arguments: argumentsForWords(entry.definition, prompt.arguments) };
  }

  /** All prompts, with the favourites and folders of the person. */
  #filed(entries: readonly CatalogEntry[], filings: ReadonlyMap<string, Filing>): readonly Prompt[] {
    if (this.#lastFiled?.entries !== entries || this.#lastFiled.filings !== filings) {
      const prompts = entries.map((entry) => {
        const prompt = toPrompt(entry, true);
        const { favourite, folder } = filings.get(prompt.name) ?? {};
        const filed = present({ 'adjutant/favourite': favourite, 'adjutant/folder': folder });
        return { ...prompt, meta: { ...prompt.meta, ...filed } };
      });
      this.#lastFiled = { entries, filings, prompts };
    }
    return this.#lastFiled.prompts;
  }

  async get(asked: string, sent: Arguments, context: Context): Promise<RenderedPrompt> {
    const { catalog, find = (own: string) => catalog.find(own), asks, derives } = this.#options;
    const { recent, usage, escapes, revisions, skillAddress } = this.#options;
    const entry = await find(asked);
    const { definition, source } = entry;
    const client = context.client.name;
    const { args: given, rest } =
      derives && dropsWords(client) ? argumentsFromWords(definition, sent) : { args: sent, rest: '' };
    const args = asks ? await askForMissing(definition, given, context) : given;
    const shown = withAddresses(definition, context, skillAddress);
    const plain = withLinks(withRest(await renderPrompt(shown, args, source), rest), linksTo(shown, context));
    const rendered = escapes ? escapeForClient(plain, client) : plain;
    recent?.remember(definition.name, args);
    usage?.record(definition.name, client);
    if (!revisions) return rendered;
    return { ...rendered, meta: { 'adjutant/revision': await catalog.revision(entry) } };
  }
}

/** Adds typed text that no argument takes to the last message. */
function withRest(rendered: RenderedPrompt, rest: string): RenderedPrompt {
  const { messages } = rendered;
  const last = messages.findLastIndex(({ role, content }) => role === 'user' && content.type === 'text');
  if (rest === '' || last < 0) return rendered;
  return withTexts(rendered, (text, index) => (index === last ? `${text}\n\n${rest}` : text));
}

function withLinks(rendered: RenderedPrompt, links: readonly Content[]): RenderedPrompt {
  if (links.length === 0) return rendered;
  const messages = links.map((content) => ({ role: 'user' as const, content }));
  return { ...rendered, messages: [...rendered.messages, ...messages] };
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
  return withTexts(rendered, (text) => text.replaceAll(opencodeCommand, '! '));
}
