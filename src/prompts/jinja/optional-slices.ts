import { lexTemplate, type Token } from '../template/lexer.ts';

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Makes a slice of an undefined value print as nothing, as in Jinja2: `x[:9]` becomes `(x|default(''))[:9]`, because the
 * engine would print an empty list. `x[::-1]` becomes the filter `reverse`, because the engine crashes on an empty string.
 */
export function withOptionalSlices(source: string): string {
  if (!source.includes('[')) return source;
  const edits = lexTemplate(source).flatMap(({ tokens }) => editsOf(tokens));
  let text = '';
  let end = 0;
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    text += source.slice(end, edit.from) + edit.text;
    end = edit.to;
  }
  return text + source.slice(end);
}

/** Finds the slices in a single pass, because a tag can contain thousands of brackets. */
function editsOf(tokens: readonly Token[]): readonly Edit[] {
  const edits: Edit[] = [];
  const open: number[] = [];
  /** For each token, the index at which the operand that ends with this token begins. */
  const starts: (number | undefined)[] = [];
  const slices = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    const isOperator = token.kind === 'operator';
    const closed = isOperator && ')]}'.includes(token.text) ? (open.pop() ?? 0) : index;
    if (isOperator && '([{'.includes(token.text)) open.push(index);
    // A colon directly inside brackets makes them a slice.
    if (isOperator && token.text === ':' && open.length > 0) slices.add(open.at(-1)!);
    starts.push(startOfOperand(tokens, index, closed, starts));
  }
  for (const index of slices) {
    const start = starts[index - 1];
    if (tokens[index]!.text === '[' && start !== undefined) edits.push(...editsAt(tokens, index, start));
  }
  return edits;
}

/** Index at which an operand such as `a.b(c)[0]` begins. `undefined` if it does not begin with a name, a string or a parenthesis. */
function startOfOperand(
  tokens: readonly Token[],
  end: number,
  opening: number,
  starts: readonly (number | undefined)[],
): number | undefined {
  const token = tokens[end]!;
  if (token.kind === 'operator') {
    if (token.text !== ')' && token.text !== ']') return undefined;
    const before = tokens[opening - 1];
    const called =
      before !== undefined && (before.kind === 'name' || /^[)\]]$/.test(before.text)) && !isKeyword(before);
    // Parentheses that are not a call form the whole operand.
    if (!called) return token.text === ')' ? opening : undefined;
    return starts[opening - 1];
  }
  if (token.kind === 'string') return end;
  if (token.kind !== 'name' || isKeyword(token)) return undefined;
  const before = tokens[end - 1]?.text;
  return before === '|' ? undefined : before === '.' ? starts[end - 2] : end;
}

function editsAt(tokens: readonly Token[], open: number, start: number): readonly Edit[] {
  const before = tokens[start]!.offset;
  const from = tokens[open]!.offset;
  const brackets = tokens.slice(open, open + 6).map(({ text }) => text);
  return [
    { from: before, to: before, text: '(' },
    brackets.join('') === '[::-1]'
      ? { from, to: tokens[open + 5]!.offset + 1, text: "|default('')|reverse)" }
      : { from, to: from, text: "|default(''))" },
  ];
}

function isKeyword({ text }: Token): boolean {
  return /^(and|or|not|in|is|if|else|elif|for|set|with|include|extends|import|from|call|do|return)$/.test(
    text,
  );
}
