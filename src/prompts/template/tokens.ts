import type { Token } from './lexer.ts';

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
