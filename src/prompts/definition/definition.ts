import type { Content } from '../../content.ts';
import type { Problem } from '../../feature.ts';

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
  /** The base directory of a skill, whose text refers to further files in it. */
  readonly folder?: string;
  /** The addresses of the skill's files, for a client that cannot read the folder, which is an address then. */
  readonly addresses?: readonly string[];
  /** Digests, by path, of the included templates and attachments. */
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Names of the prompts that its templates include. */
  readonly uses?: readonly string[];
  readonly tests?: readonly PromptTest[];
  /** Unknown fields, each with the field that is probably meant, and its line if it is in the file of the prompt. */
  readonly misspelled?: readonly (readonly [written: string, meant: string, line?: number])[];
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

/** One test of a prompt: its arguments, and checks on the rendered text and on the answer of a model. */
export interface PromptTest extends TextChecks {
  readonly name?: string;
  /** Why the test cannot run, such as a misspelled field. Such a test fails; its prompt is served. */
  readonly invalid?: string;
  readonly arguments?: Readonly<Record<string, string>>;
  /** Part of the expected error. The prompt must not render. */
  readonly fails?: string;
  /** Checks on the answer of a model. They are skipped if no model is configured. */
  readonly answer?: TextChecks & {
    /** JSON Schema of the answer, which must be JSON. */
    readonly schema?: Readonly<Record<string, unknown>>;
    /** What a good answer is, judged by the model. */
    readonly rubric?: string;
  };
}

export interface TextChecks {
  readonly equals?: string;
  readonly contains?: readonly string[];
  readonly not_contains?: readonly string[];
  /** Regular expressions. */
  readonly matches?: readonly string[];
  readonly max_tokens?: number;
  readonly min_tokens?: number;
}

/** The prompts read from a file or folder, and the problems found while reading. */
export interface Reading {
  readonly prompts: readonly PromptDefinition[];
  readonly problems: readonly Problem[];
}

/** A digest of the prompt's content and of the files it includes. Used where the source does not count revisions. */
export function contentRevision(definition: PromptDefinition): string {
  const known = revisions.get(definition);
  if (known !== undefined) return known;
  const { title, description, arguments: args, messages, tags, template, dependencies } = definition;
  const content = [title ?? null, description ?? null, args, messages, tags, template, dependencies ?? null];
  const revision = digestOf(JSON.stringify(content));
  revisions.set(definition, revision);
  return revision;
}

const revisions = new WeakMap<PromptDefinition, string>();

export function digestOf(content: string | Buffer): string {
  // Load the module on first use: most servers never need a digest, and loading it slows down the start.
  const { hash } = process.getBuiltinModule('node:crypto');
  return hash('sha256', content).slice(0, 16);
}

/** Whether clients receive the same content for both. Ignores the file and the line. */
export function sameContent(one: PromptDefinition, other: PromptDefinition): boolean {
  if (one === other) return true;
  return (
    JSON.stringify(listed(one)) === JSON.stringify(listed(other)) &&
    one.template === other.template &&
    one.messages.length === other.messages.length &&
    one.messages.every((message, index) => sameMessage(message, other.messages[index]!)) &&
    JSON.stringify(one.dependencies) === JSON.stringify(other.dependencies)
  );
}

/** The fields that clients see in the list of prompts. */
export function listed({ name, title, description, arguments: args, tags }: PromptDefinition): object {
  return { name, title, description, args, tags };
}

type Message = PromptDefinition['messages'][number];

function sameMessage(one: Message, other: Message): boolean {
  if (one.role !== other.role) return false;
  // Texts can be long, so compare them directly instead of serializing them.
  if (one.content.type === 'text' && other.content.type === 'text')
    return one.content.text === other.content.text;
  return JSON.stringify(one.content) === JSON.stringify(other.content);
}
