import { lexTemplate, type Token } from '../template/lexer.ts';

const needsEnd = /\bloop\s*\.\s*(?:last|length|revindex0?)\b/;

/**
 * Turns the items of every loop into a list: `in x` becomes `in (x)|list`. The engine does not know the length of a text,
 * so `loop.last`, `loop.length` and `loop.revindex` would be wrong or empty in a loop over its characters.
 */
export function withCountedLoops(source: string): string {
  if (!needsEnd.test(source)) return source;
  let text = '';
  let end = 0;
  for (const { kind, tokens } of lexTemplate(source)) {
    const items = kind === 'statement' && tokens[0]?.text === 'for' ? itemsOf(tokens) : undefined;
    if (items === undefined) continue;
    const { from, to } = items;
    text += `${source.slice(end, from)}(${source.slice(from, to)})|list`;
    end = to;
  }
  return text + source.slice(end);
}

/** The expression between `in` and the end of the tag, a filter (`if …`) or `recursive`. */
function itemsOf(tokens: readonly Token[]): { readonly from: number; readonly to: number } | undefined {
  const start = tokens.findIndex(({ kind, text }) => kind === 'name' && text === 'in') + 1;
  let depth = 0;
  let last = -1;
  for (const [index, { kind, text }] of tokens.entries()) {
    if (start === 0 || index < start) continue;
    if (kind === 'operator' && '([{'.includes(text)) depth++;
    if (kind === 'operator' && ')]}'.includes(text)) depth--;
    if (depth === 0 && kind === 'name' && (text === 'if' || text === 'recursive')) break;
    last = index;
  }
  if (last < 0) return undefined;
  return { from: tokens[start]!.offset, to: tokens[last]!.offset + tokens[last]!.text.length };
}
