import type { PromptDefinition } from '../definition/definition.ts';
import { FileProblem } from '../files/front-matter.ts';
import { lexTemplate } from '../template/lexer.ts';
import { NotExpressible } from './format.ts';

/** A piece of a body: plain text, or the place of an argument. */
export type Segment = string | { readonly argument: string };

/** The pieces around every match; `placeholder` says which argument or other text stands there, or `undefined` for none. */
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

/** The body with `{{name}}` at the place of every argument, as it is kept. */
export function bracesOf(segments: readonly Segment[], line: number): string {
  const names = new Set(
    segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment.argument])),
  );
  let text = '';
  for (const segment of segments) {
    const literal = typeof segment === 'string' ? [...segment.matchAll(/\{\{([^{}]+)\}\}/g)] : [];
    const clash = literal.find(([, name]) => names.has(name!));
    if (clash !== undefined)
      throw new FileProblem(
        `the text ${clash[0]} cannot be told from the place of an argument`,
        line + (text + (segment as string).slice(0, clash.index)).split('\n').length - 1,
      );
    text += typeof segment === 'string' ? segment : `{{${segment.argument}}}`;
  }
  return text;
}

/** The names in the order in which they first appear. */
export function argumentsIn(segments: readonly Segment[]): readonly string[] {
  return [...new Set(segments.flatMap((segment) => (typeof segment === 'string' ? [] : [segment.argument])))];
}

/** The pieces of one text of a definition, whatever its kind of template. */
export function segmentsOf(definition: PromptDefinition, text: string): readonly Segment[] {
  const declared = new Set(definition.arguments.map(({ name }) => name));
  switch (definition.template) {
    case 'none':
      return [text];
    case 'input': {
      const whole = text.includes('{{input}}') ? text : `${text}\n\n{{input}}`;
      return splitBody(whole, /\{\{input\}\}/g, () => 'input');
    }
    case 'braces':
      return splitBody(text, /\{\{([^{}]+)\}\}/g, ([, name]) => (declared.has(name!) ? name : undefined));
    case 'jinja':
      return jinjaSegments(text);
  }
}

/** Only where a template does no more than name its arguments. */
function jinjaSegments(text: string): readonly Segment[] {
  if (/\{#|\{%/.test(text)) throw new NotExpressible('it needs Jinja, which this format does not have');
  const places = new Map(
    lexTemplate(text).map(({ offset, tokens }) => {
      const [name] = tokens;
      if (tokens.length !== 1 || name?.kind !== 'name')
        throw new NotExpressible('it needs Jinja, which this format does not have');
      return [offset, name.text];
    }),
  );
  const segments = splitBody(text, /\{\{[^{}]*\}\}/g, ({ index }) => places.get(index));
  if (segments.some((segment) => typeof segment === 'string' && segment.includes('{{')))
    throw new NotExpressible('its template is not complete');
  return segments;
}

/** The one text of a prompt for formats that know nothing else. */
export function singleText({ messages }: PromptDefinition): string {
  const [message] = messages;
  if (messages.length !== 1 || message?.role !== 'user' || message.content.type !== 'text')
    throw new NotExpressible('it has more than one message of the user, and this format has not');
  return message.content.text;
}
