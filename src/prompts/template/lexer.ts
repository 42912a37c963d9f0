export interface Token {
  readonly kind: 'name' | 'string' | 'number' | 'operator';
  readonly text: string;
  readonly offset: number;
}

/** A `{{ }}` or `{% %}` tag. */
export interface Tag {
  readonly kind: 'expression' | 'statement';
  readonly offset: number;
  /** The offset after the closing braces. */
  readonly end: number;
  readonly tokens: readonly Token[];
}

const openings = /\{\{|\{%|\{#/g;
const rawTag = /\{%[-+]?\s*raw\s*[-+]?%\}/y;
const endRawTag = /\{%[-+]?\s*endraw\s*[-+]?%\}/g;
const space = /\s+/y;
const tokenForms: readonly (readonly [Token['kind'], RegExp])[] = [
  ['name', /[\p{ID_Start}_][\p{ID_Continue}]*/uy],
  ['number', /0[bB][01_]+|0[oO][0-7_]+|0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?/y],
  ['string', /'(?:\\[\s\S]|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"/y],
  ['operator', /\/\/|\*\*|==|!=|<=|>=|[-+*/%~<>=.:,|()[\]{};!]/y],
];

/** The tags of a Jinja template, without comments and raw blocks. Stops at a syntax error, which the engine reports. */
export function lexTemplate(source: string): readonly Tag[] {
  const tags: Tag[] = [];
  let position = 0;
  for (;;) {
    openings.lastIndex = position;
    const opening = openings.exec(source);
    if (opening === null) return tags;
    const next = matchAt(rawTag, source, opening.index)
      ? endOf(endRawTag, source, rawTag.lastIndex)
      : opening[0] === '{#'
        ? endOf(/#\}/g, source, opening.index + 2)
        : lexTag(source, opening.index, tags);
    if (next === undefined) return tags;
    position = next;
  }
}

/** Adds the tag that begins at the offset and returns the offset of its end. `undefined` if the tag is invalid. */
function lexTag(source: string, offset: number, tags: Tag[]): number | undefined {
  const kind = source[offset + 1] === '{' ? 'expression' : 'statement';
  const closing = kind === 'expression' ? /[-+]?\}\}/y : /[-+]?%\}/y;
  const tokens: Token[] = [];
  let depth = 0;
  let position = offset + 2 + (/[-+]/.test(source[offset + 2] ?? '') ? 1 : 0);
  while (position < source.length) {
    if (matchAt(space, source, position)) position = space.lastIndex;
    // Inside brackets, `}}` closes maps, not the tag.
    if (depth === 0 && matchAt(closing, source, position)) {
      tags.push({ kind, offset, end: closing.lastIndex, tokens });
      return closing.lastIndex;
    }
    const token = lexToken(source, position);
    if (token === undefined) return undefined;
    if ('([{'.includes(token.text)) depth += 1;
    if (')]}'.includes(token.text)) depth = Math.max(0, depth - 1);
    tokens.push(token);
    position += token.text.length;
  }
  return undefined;
}

function lexToken(source: string, offset: number): Token | undefined {
  for (const [kind, form] of tokenForms) {
    form.lastIndex = offset;
    const match = form.exec(source);
    if (match !== null) return { kind, text: match[0], offset };
  }
  return undefined;
}

function matchAt(form: RegExp, source: string, offset: number): boolean {
  form.lastIndex = offset;
  return form.test(source);
}

function endOf(form: RegExp, source: string, offset: number): number | undefined {
  form.lastIndex = offset;
  return form.test(source) ? form.lastIndex : undefined;
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'name' && token.text === word;
}

/** Splits at the first matching token outside brackets. */
export function splitAt(
  tokens: readonly Token[],
  test: (token: Token) => boolean,
): [before: readonly Token[], after: readonly Token[], found: boolean] {
  let depth = 0;
  const at = tokens.findIndex((token) => {
    if (depth === 0 && test(token)) return true;
    depth += depthChange(token);
    return false;
  });
  return at < 0 ? [tokens, [], false] : [tokens.slice(0, at), tokens.slice(at + 1), true];
}

/** Splits at every separator outside brackets. */
export function splitAll(tokens: readonly Token[], separator: string): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (depth === 0 && token.text === separator) parts.push([]);
    else parts.at(-1)!.push(token);
    depth += depthChange(token);
  }
  return parts;
}

/** Splits off a bracketed group at the beginning, if there is one. */
export function splitBrackets(
  tokens: readonly Token[],
): [brackets: readonly Token[], rest: readonly Token[]] {
  let depth = 0;
  for (const [index, token] of tokens.entries()) {
    depth += depthChange(token);
    if (depth <= 0) return index === 0 ? [[], tokens] : [tokens.slice(0, index + 1), tokens.slice(index + 1)];
  }
  return [tokens, []];
}

function depthChange({ kind, text }: Token): number {
  if (kind !== 'operator') return 0;
  return '([{'.includes(text) ? 1 : ')]}'.includes(text) ? -1 : 0;
}

const operatorWords = new Set('and or not in is if else'.split(' '));

/** Whether the tokens begin with `| default`, `| d`, `is defined`, `is not defined` or `is undefined`. */
export function isGuard([first, second, third]: readonly Token[]): boolean {
  if (first?.text === '|') return isWord(second, 'default') || isWord(second, 'd');
  const test = isWord(second, 'not') ? third : second;
  return isWord(first, 'is') && (isWord(test, 'defined') || isWord(test, 'undefined'));
}

/** Whether an expression can end with this token. */
export function endsOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  return token.kind === 'operator' ? /^[)\]}]$/.test(token.text) : !operatorWords.has(token.text);
}

export function withoutContext(tokens: readonly Token[]): readonly Token[] {
  const modified =
    isWord(tokens.at(-1), 'context') && (isWord(tokens.at(-2), 'with') || isWord(tokens.at(-2), 'without'));
  return modified ? tokens.slice(0, -2) : tokens;
}

export interface Position {
  /** Line and column start at 1. */
  readonly line: number;
  readonly column: number;
}

/** Converts offsets in a text to line and column. */
export class Lines {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
      this.#starts.push(end + 1);
  }

  at(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }
}

/** Returns a Jinja template that prints exactly this text. */
export function escapeJinja(text: string): string {
  if (!/\{[{%#]/.test(text)) return text;
  const inner = text.replaceAll(/\{(?=%[-+]?\s*endraw)/g, "{% endraw %}{{ '{' }}{% raw %}");
  return `{% raw %}${inner}{% endraw %}`;
}
