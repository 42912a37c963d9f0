import type { Content } from '../../content.ts';
import type { Context } from '../../context.ts';
import { Failure } from '../../failure.ts';
import type { ExpandText, PromptMessage } from '../../feature.ts';
import {
  type Arguments,
  argumentsFrom,
  askForMissing,
  type RecentValues,
  takesInput,
} from '../rendering/arguments.ts';
import { flatten, renderPrompt } from '../rendering/rendering.ts';
import type { CatalogEntry } from './catalog.ts';
import { linksTo, type SkillAddress, withAddresses } from './skill-addresses.ts';
import type { Usage } from './usage.ts';

export interface ExpanderParts {
  /** Finds a prompt by a name that may include a version, such as `name@label`. */
  readonly find: (name: string) => Promise<CatalogEntry>;
  readonly recent: RecentValues;
  readonly usage?: Usage | undefined;
  /** Where clients that cannot read files of this machine find those of a skill. */
  readonly skillAddress?: SkillAddress | undefined;
}

export interface ExpansionRequest {
  readonly name: string;
  /** The free text after the name. */
  readonly input: string;
  /** Values by argument name; the others are taken from the input. */
  readonly named: Arguments;
  /** Whether to ask the person for missing arguments. */
  readonly asks: boolean;
  /** True if the text is for an agent on this machine, which can read the folder of a skill. */
  readonly isLocal?: boolean;
}

/** A colon, a name that begins with a letter or digit of any script, and free text. A smiley such as `:)` is no command. */
const commandForm = /^:([\p{L}\p{N}_]\S*)(?:\s+([\s\S]*))?$/u;

/** The name of the prompt in a text of the form `:name text`, or `undefined` if the text has another form. */
export function commandName(text: string): string | undefined {
  return commandForm.exec(text)?.[1];
}

/** The prompt as one text, followed by its images and other attachments. */
type Expansion = readonly [Extract<Content, { readonly type: 'text' }>, ...Content[]];

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
      const [expanded] = await this.expand({ name, input, named, asks, isLocal: true }, context);
      return expanded.text;
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'prompt-not-found') throw error;
      throw new Failure(
        'prompt-not-found',
        `${error.message}. A text that begins with a colon and a name is a prompt; begin it with a space to send it unchanged.`,
      );
    }
  };

  async expand(request: ExpansionRequest, context: Context): Promise<Expansion> {
    const { name, input, named, asks, isLocal = false } = request;
    const { definition, source } = await this.#parts.find(name);
    const given = argumentsFrom(definition, input, named);
    const args = asks ? await askForMissing(definition, given, context) : given;
    const shown = isLocal ? definition : withAddresses(definition, context, this.#parts.skillAddress);
    const { messages } = await renderPrompt(shown, args, source);
    // What a program fills in, such as the title of an event, is no suggestion for people.
    if (asks) this.#parts.recent.remember(definition.name, args);
    this.#parts.usage?.record(definition.name, context.client.name);
    const rest = input !== '' && !takesInput(definition, named) ? `\n\n${input}` : '';
    return [...joined(messages, rest), ...linksTo(shown, context)];
  }
}

function joined(messages: readonly PromptMessage[], rest: string): Expansion {
  const attached = messages.map(({ content }) => content).filter(({ type }) => type !== 'text');
  return [{ type: 'text', text: flatten(messages) + rest }, ...attached];
}
