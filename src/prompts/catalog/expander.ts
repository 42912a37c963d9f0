import type { Content } from '../../content.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { ExpandText } from '../../feature.ts';
import { nearest } from '../../nearest.ts';
import {
  type Arguments,
  argumentsFrom,
  askForMissing,
  type RecentValues,
  takesInput,
} from '../rendering/arguments.ts';
import { flatten, renderPrompt } from '../rendering/rendering.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { Usage } from './usage.ts';

export interface ExpanderParts {
  readonly catalog: Catalog;
  /** Finds a prompt by a name that may include a version, such as `name@label`. */
  readonly find: (name: string) => Promise<CatalogEntry>;
  readonly recent: RecentValues;
  readonly usage?: Usage | undefined;
}

export interface ExpansionRequest {
  readonly name: string;
  /** The free text after the name. */
  readonly input: string;
  /** Values by argument name; the others are taken from the input. */
  readonly named: Arguments;
  /** Whether to ask the person for missing arguments. */
  readonly asks: boolean;
}

/** A colon, a name that begins with a letter or digit of any script, and free text. A smiley such as `:)` is no command. */
const commandForm = /^:([\p{L}\p{N}_]\S*)(?:\s+([\s\S]*))?$/u;

/** The name of the prompt in a text of the form `:name text`, or `undefined` if the text has another form. */
export function commandName(text: string): string | undefined {
  return commandForm.exec(text)?.[1];
}

/** Expands prompts for everybody who names one: `expand_prompt`, the tasks of sub-agents, the command line and the page. */
export class Expander {
  readonly #parts: ExpanderParts;

  constructor(parts: ExpanderParts) {
    this.#parts = parts;
  }

  /** Expands `:name text`. */
  readonly expandText: ExpandText = async (text, named, context, { asks = true } = {}) => {
    const [, name, input = ''] = commandForm.exec(text) ?? [];
    if (name === undefined) return undefined;
    try {
      const [expanded] = await this.expand({ name, input, named, asks }, context);
      return expanded.text;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
      throw new Failure(
        'prompt-not-found',
        `${error.message}. A text that begins with a colon and a name is a prompt; begin it with a space to send it unchanged.`,
      );
    }
  };

  /** The prompt as one text, followed by its images and other attachments. */
  async expand(
    { name, input, named, asks }: ExpansionRequest,
    context: Context,
  ): Promise<readonly [Extract<Content, { readonly type: 'text' }>, ...Content[]]> {
    const { recent, usage } = this.#parts;
    const { definition, source } = await this.#find(name);
    const given = argumentsFrom(definition, input, named);
    const args = asks ? await askForMissing(definition, given, context) : given;
    const { messages } = await renderPrompt(definition, args, source);
    recent.remember(definition.name, args);
    usage?.record(definition.name, context.client.name);
    const rest = input !== '' && !takesInput(definition, named) ? `\n\n${input}` : '';
    const attached = messages.map(({ content }) => content).filter(({ type }) => type !== 'text');
    return [{ type: 'text', text: flatten(messages) + rest }, ...attached];
  }

  /** Suggests the nearest name if the prompt does not exist. */
  async #find(name: string): Promise<CatalogEntry> {
    const { catalog, find } = this.#parts;
    try {
      return await find(name);
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
      const names = (await catalog.list()).map(({ definition }) => definition.name);
      const suggestion = nearest(name, names);
      if (name.includes('@') && suggestion === undefined) throw error;
      throw new Failure(
        'prompt-not-found',
        `Prompt not found: ${name}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
      );
    }
  }
}
