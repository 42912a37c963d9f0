import type { Content } from '../../content.ts';
import type { Problem } from '../../feature.ts';
import type { PromptTest } from './prompt-test.ts';

/**
 * How a prompt's text is rendered. `input`: replaces the literal `{{input}}`, or appends the input if there is none.
 * `braces`: replaces every literal `{{name}}` in one pass. `jinja`: renders a Jinja template. `none`: sends the text unchanged.
 */
export type TemplateKind = 'input' | 'braces' | 'jinja' | 'none';

/** A prompt as stored in its source, before rendering. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly ArgumentDefinition[];
  readonly messages: readonly MessageDefinition[];
  readonly tags: readonly string[];
  readonly template: TemplateKind;
  /**
   * Set for commands of clients that split the text typed after the command name: the argument for each word, by position,
   * and the argument for the whole text.
   */
  readonly typed?: TypedRules;
  /** The file that defines the prompt, and the line on which its body begins. */
  readonly file: string;
  readonly line: number;
  /** Digests, by path, of the included templates and attachments. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Names of the prompts that its templates include. */
  readonly uses?: readonly string[];
  readonly tests?: readonly PromptTest[];
}

export interface TypedRules {
  readonly positions: readonly string[];
  readonly whole: string;
  /** How the text is split into words. Default: like a shell. */
  readonly split?: 'shell' | 'quotes';
  /** The position that takes all remaining words. */
  readonly rest?: number;
  /** Whether `$ARGUMENTS` in a word is replaced by the whole text, as in opencode and older versions of Claude Code. */
  readonly expandsWords?: boolean;
  /** Whether a shell command in the typed text is changed so that the client does not run it, as in Claude Code. */
  readonly disarmsCommands?: boolean;
  /** White space at the end of the file, which the client sends too. */
  readonly ending?: string;
  /** Precedes text that no placeholder takes. Default: `ARGUMENTS: ` in a new paragraph. */
  readonly appendix?: string;
}

export interface ArgumentDefinition {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: string;
  /** Suggested values; other values are allowed. */
  readonly values?: readonly string[];
  /** The value is a file path, so completion suggests paths in the workspace. */
  readonly files?: boolean;
}

export interface MessageDefinition {
  readonly role: 'user' | 'assistant';
  /** Text content is a template; other content is sent unchanged. */
  readonly content: Content;
}

/** The prompts read from a file or folder, and the problems found while reading. */
export interface Reading {
  readonly prompts: readonly PromptDefinition[];
  readonly problems: readonly Problem[];
}
