import { FileProblem } from '../../front-matter.ts';
import { present } from '../../json.ts';
import type { ArgumentDefinition, PromptDefinition } from '../definition/definition.ts';
import { lexTemplate } from '../template/lexer.ts';
import { NotExpressible, type TextFile } from './format.ts';

/** A piece of a body: plain text, or the placeholder of an argument. */
export type Segment = string | { readonly argument: string };

/** Splits a body at every match. `placeholder` returns the argument or text for a match, or `undefined` to keep it as it is. */
export function splitBody(
  body: string,
  pattern: RegExp,
  placeholder: (match: RegExpExecArray) => string | { readonly text: string } | undefined,
): readonly Segment[] {
  const segments: Segment[] = [];
  let end = 0;
  for (const match of body.matchAll(pattern)) {
    const found = placeholder(match);
    if (found === undefined) continue;
    segments.push(body.slice(end, match.index), typeof found === 'string' ? { argument: found } : found.text);
    end = match.index + match[0].length;
  }
  segments.push(body.slice(end));
  return segments.filter((segment) => segment !== '');
}

/** Prints the body with `{{name}}` for every argument. Throws FileProblem if the text itself contains such a placeholder. */
export function toBraces(segments: readonly Segment[], line: number): string {
  const names = new Set(
    segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment.argument])),
  );
  let text = '';
  for (const segment of segments) {
    const literal = typeof segment === 'string' ? [...segment.matchAll(/\{\{([^{}]+)\}\}/g)] : [];
    const clash = literal.find(([, name]) => names.has(name!));
    if (clash !== undefined)
      throw new FileProblem(
        `the text ${clash[0]} looks like the placeholder of an argument`,
        line + (text + (segment as string).slice(0, clash.index)).split('\n').length - 1,
      );
    text += typeof segment === 'string' ? segment : `{{${segment.argument}}}`;
  }
  return text;
}

/** Returns the argument names in the order of their first use. */
export function argumentsIn(segments: readonly Segment[]): readonly string[] {
  return [...new Set(segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment.argument])))];
}

/** Splits one text of a definition according to its kind of template. */
export function toSegments(definition: PromptDefinition, text: string): readonly Segment[] {
  const declared = new Set(definition.arguments.map(({ name }) => name));
  switch (definition.template) {
    case 'none':
      return [text];
    case 'input':
      return splitBody(withInput(text), /\{\{input\}\}/g, () => 'input');
    case 'braces':
      return splitBody(text, /\{\{([^{}]+)\}\}/g, ([, name]) => (declared.has(name!) ? name : undefined));
    case 'jinja':
      return jinjaSegments(text);
  }
}

/**
 * The arguments for a format of our own. A command of another client takes text even without a placeholder; in our formats,
 * a prompt without arguments does that.
 */
export function usedArguments(definition: PromptDefinition): readonly ArgumentDefinition[] {
  const { arguments: declared, typed, messages } = definition;
  if (typed === undefined) return declared;
  const texts = messages.map(({ content }) => (content.type === 'text' ? content.text : ''));
  return declared.filter(({ name }) => texts.some((text) => text.includes(`{{${name}}}`)));
}

/** A command without a placeholder gets its input at the end. */
export function withInput(text: string): string {
  return text.includes('{{input}}') ? text : `${text}\n\n{{input}}`;
}

/** Splits a template that contains only variables. Throws NotExpressible for any other syntax. */
function jinjaSegments(text: string): readonly Segment[] {
  if (/\{#|\{%/.test(text))
    throw new NotExpressible('it uses Jinja syntax that this format does not support');
  const places = new Map(
    lexTemplate(text).map(({ offset, tokens }) => {
      const [name] = tokens;
      if (tokens.length !== 1 || name?.kind !== 'name')
        throw new NotExpressible('it uses Jinja syntax that this format does not support');
      return [offset, name.text];
    }),
  );
  const segments = splitBody(text, /\{\{[^{}]*\}\}/g, ({ index }) => places.get(index));
  if (segments.some((segment) => typeof segment === 'string' && segment.includes('{{')))
    throw new NotExpressible('its template contains an incomplete tag');
  return segments;
}

/** Returns the text of a prompt that is a single user message. Throws NotExpressible for other prompts. */
export function singleText({ messages }: PromptDefinition): string {
  const [message] = messages;
  if (messages.length !== 1 || message?.role !== 'user' || message.content.type !== 'text')
    throw new NotExpressible('this format supports only a single user message with text');
  return message.content.text;
}

/** A prompt of one user message. A text without segments is sent unchanged. */
export function onePrompt(
  file: TextFile,
  line: number,
  body: string | readonly Segment[],
  described: Pick<PromptDefinition, 'name' | 'arguments' | 'typed'> & {
    readonly [field in 'title' | 'description']?: string | undefined;
  },
): PromptDefinition {
  const text = typeof body === 'string' ? body : toBraces(body, line);
  return {
    ...present(described),
    messages: [{ role: 'user', content: { type: 'text', text } }],
    tags: [],
    template: typeof body === 'string' ? 'none' : 'braces',
    file: file.path,
    line,
  };
}

/** Prints the body with the placeholder that the format uses for each argument. */
export function printSegments(segments: readonly Segment[], print: (argument: string) => string): string {
  return segments
    .map((segment) => (typeof segment === 'string' ? segment : print(segment.argument)))
    .join('');
}

/** Throws NotExpressible if the text between the placeholders contains syntax of the client. */
export function assertPlain(segments: readonly Segment[], syntax: RegExp, meaning: string): void {
  for (const segment of segments) {
    const found = typeof segment === 'string' ? syntax.exec(segment)?.[0] : undefined;
    if (found !== undefined) throw new NotExpressible(`its text contains ${found}, which ${meaning}`);
  }
}

/** The text of a prompt for a format without placeholders. Throws NotExpressible if it has arguments. */
export function plainText(definition: PromptDefinition): string {
  const { used } = singleSegments(definition);
  if (used.length > 0)
    throw new NotExpressible(`it has the arguments ${used.join(', ')}, but the format has no placeholders`);
  return singleText(definition);
}

/** Throws NotExpressible if a format that counts its arguments has no number for one. */
export function assertNumbered(declared: readonly ArgumentDefinition[], most: number): void {
  if (declared.length > most)
    throw new NotExpressible(`it uses ${declared.length} arguments, but the format supports only ${most}`);
}

/** The segments of a prompt that has a single text, and the declared arguments that they use. */
export function singleSegments(definition: PromptDefinition): {
  readonly segments: readonly Segment[];
  /** In the order of the text. */
  readonly used: readonly string[];
  /** In the order of the declaration. */
  readonly declared: readonly ArgumentDefinition[];
} {
  const segments = toSegments(definition, singleText(definition));
  const used = argumentsIn(segments);
  return { segments, used, declared: definition.arguments.filter(({ name }) => used.includes(name)) };
}
