import type { Content } from '../../content.ts';
import type { Problem } from '../../feature.ts';

/**
 * How a body becomes text. `input`: the literal `{{input}}`, else the input is appended. `braces`: every literal `{{name}}`
 * in one pass. `jinja`: a template of its library. `none`: as it stands.
 */
export type TemplateKind = 'input' | 'braces' | 'jinja' | 'none';

/** One prompt as its source holds it, before any argument is known. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments: readonly ArgumentDefinition[];
  readonly messages: readonly MessageDefinition[];
  readonly tags: readonly string[];
  readonly template: TemplateKind;
  /** Written for a client that splits what is typed behind the name: which argument each word is, and which is all of it. */
  readonly typed?: { readonly positions: readonly string[]; readonly whole: string };
  /** The file it came from and the line on which its body begins. */
  readonly file: string;
  readonly line: number;
  /** Digests of the other files that shape its messages, by path: included templates and attachments. */
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface ArgumentDefinition {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly default?: string;
  /** Values to offer; others are allowed. */
  readonly values?: readonly string[];
  /** The value is the path of a file: paths of the workspace are offered. */
  readonly files?: boolean;
}

export interface MessageDefinition {
  readonly role: 'user' | 'assistant';
  /** Text content is a template; other content is sent as it is. */
  readonly content: Content;
}

/** What a reader made of a file or a folder: what it understood, and what it could not map. */
export interface Reading {
  readonly prompts: readonly PromptDefinition[];
  readonly problems: readonly Problem[];
}
