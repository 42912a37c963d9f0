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
