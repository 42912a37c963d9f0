import { lexTemplate, type Token } from './lint/lexer.ts';

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * A slice of something undefined is nothing, as in Jinja2: `x[:9]` becomes `(x|default(''))[:9]`, because the engine would make
 * it an empty list and print that. `x[::-1]` becomes the filter `reverse`, because the engine breaks down over an empty text.
 */
export function withOptionalSlices(source: string): string {
  if (!source.includes('[')) return source;
  const edits = lexTemplate(source).flatMap(({ tokens }) =>
    tokens.flatMap((token, index) => (token.text === '[' ? editsOf(tokens, index) : [])),
  );
  let text = '';
  let end = 0;
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    text += source.slice(end, edit.from) + edit.text;
    end = edit.to;
  }
  return text + source.slice(end);
}

function editsOf(tokens: readonly Token[], open: number): readonly Edit[] {
  const start = startOfOperand(tokens, open);
  if (start === undefined || !isSlice(tokens, open)) return [];
  const before = tokens[start]!.offset;
  const from = tokens[open]!.offset;
  const close = tokens[open + 5];
  const reversed =
    tokens
      .slice(open, open + 6)
      .map(({ text }) => text)
      .join('') === '[::-1]';
  return [
    { from: before, to: before, text: '(' },
    reversed
      ? { from, to: close!.offset + 1, text: "|default('')|reverse)" }
      : { from, to: from, text: "|default(''))" },
  ];
}

/** No slice that a person wrote is longer. */
const longest = 1000;

/** Whether a colon stands in these brackets, outside of others. */
function isSlice(tokens: readonly Token[], open: number): boolean {
  let depth = 0;
  for (const { kind, text } of tokens.slice(open, open + longest)) {
    if (kind !== 'operator') continue;
    if ('([{'.includes(text)) depth += 1;
    if (')]}'.includes(text)) depth -= 1;
    if (depth === 0) return false;
    if (depth === 1 && text === ':') return true;
  }
  return false;
}

/** Where `a.b(c)[0]` begins that is sliced here; `undefined` where it begins with no name and no text. */
function startOfOperand(tokens: readonly Token[], open: number): number | undefined {
  let at = open - 1;
  for (;;) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (token.kind === 'operator') {
      if (token.text !== ')' && token.text !== ']') return undefined;
      at = openingOf(tokens, at) - 1;
      // Parentheses of their own hold the whole of it.
      const before = tokens[at];
      const called =
        before !== undefined && (before.kind === 'name' || /^[)\]]$/.test(before.text)) && !isKeyword(before);
      if (!called) return token.text === ')' ? at + 1 : undefined;
      continue;
    }
    if (token.kind === 'string') return at;
    if (token.kind !== 'name' || isKeyword(token)) return undefined;
    if (tokens[at - 1]?.text === '|') return undefined;
    if (tokens[at - 1]?.text !== '.') return at;
    at -= 2;
  }
}

function openingOf(tokens: readonly Token[], close: number): number {
  let depth = 0;
  for (let at = close; at >= Math.max(0, close - longest); at -= 1) {
    const { kind, text } = tokens[at]!;
    if (kind !== 'operator') continue;
    if (')]}'.includes(text)) depth += 1;
    if ('([{'.includes(text)) depth -= 1;
    if (depth === 0) return at;
  }
  return 0;
}

function isKeyword({ text }: Token): boolean {
  return /^(and|or|not|in|is|if|else|elif|for|set|with|include|extends|import|from|call|do|return)$/.test(
    text,
  );
}
