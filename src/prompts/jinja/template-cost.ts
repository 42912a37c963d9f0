import { lexTemplate, type Token } from '../template/lexer.ts';

/**
 * What rendering can cost at most. `small`: each part is looked at once. `bounded`: parts are repeated, as often as the fuel
 * lasts, but no text grows on the way. `unknown`: anything.
 */
export type TemplateCost = 'small' | 'bounded' | 'unknown';

const once = new Set(['if', 'elif', 'else', 'endif']);
const repeated = new Set(['for', 'endfor', 'set', 'include', 'extends', 'block', 'endblock']);
const operators = new Set(['.', '|', '(', ')', '[', ']', ',', '=', '==', '!=', '<', '>', '<=', '>=']);
/** Filters whose result is not longer than what they get, or hardly. */
const filters = new Set(
  'upper lower trim capitalize title default d length count first last string'.split(' '),
);
const tests = new Set('defined undefined none string not'.split(' '));
const words = new Set('and or not if elif else in is'.split(' '));

/** A clock beside the rendering costs more than the rendering itself, and these need none. In doubt it is `unknown`. */
export function costOf(source: string): TemplateCost {
  const tags = lexTemplate(source);
  // What is not a tag to the reader, but begins like one, is looked at by the engine.
  if (source.includes('{#') || (source.match(/\{[{%]/g)?.length ?? 0) !== tags.length) return 'unknown';
  let cost: TemplateCost = 'small';
  for (const { kind, tokens } of tags) {
    const word = tokens[0]?.text ?? '';
    if (!tokens.every((token, index) => isHarmless(token, tokens[index - 1], tokens[index - 2])))
      return 'unknown';
    if (kind === 'expression' || once.has(word)) continue;
    if (!repeated.has(word)) return 'unknown';
    cost = 'bounded';
  }
  return cost;
}

function isHarmless(token: Token, before: Token | undefined, beforeThat: Token | undefined): boolean {
  switch (token.kind) {
    case 'string':
    case 'number':
      return true;
    case 'operator':
      // Behind a name a bracket is a call; only of a filter is it known what that does.
      if (token.text === '(' && before?.kind === 'name')
        return words.has(before.text) || beforeThat?.text === '|';
      return operators.has(token.text);
    case 'name':
      if (before?.text === '|') return filters.has(token.text);
      if (before?.text === 'is' || (before?.text === 'not' && beforeThat?.text === 'is'))
        return tests.has(token.text);
      return true;
  }
}
