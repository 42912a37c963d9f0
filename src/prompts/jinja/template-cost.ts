import { lexTemplate, type Token } from '../template/lexer.ts';

/**
 * Upper bound for the cost of rendering. `small`: every part is rendered at most once. `bounded`: the fuel limits how often
 * parts repeat, and no step makes a text longer. `unknown`: no bound is known.
 */
export type TemplateCost = 'small' | 'bounded' | 'unknown';

const onceStatements = new Set(['if', 'elif', 'else', 'endif']);
const repeatingStatements = new Set(['for', 'endfor', 'set', 'include', 'extends', 'block', 'endblock']);
const operators = new Set(['.', '|', '(', ')', '[', ']', ',', '=', '==', '!=', '<', '>', '<=', '>=']);
/** Filters whose result is about as long as their input, or shorter. */
const filters = new Set(
  'upper lower trim capitalize title default d length count first last string'.split(' '),
);
const tests = new Set('defined undefined none string not'.split(' '));
const words = new Set('and or not if elif else in is'.split(' '));

/** Finds templates that need no time limit, because enforcing one costs more than rendering them. In doubt, returns `unknown`. */
export function costOf(source: string): TemplateCost {
  const tags = lexTemplate(source);
  // The lexer may miss tags, for example after a syntax error. The engine might still render them.
  if (source.includes('{#') || (source.match(/\{[{%]/g)?.length ?? 0) !== tags.length) return 'unknown';
  let cost: TemplateCost = 'small';
  for (const { kind, tokens } of tags) {
    const word = tokens[0]?.text ?? '';
    if (!tokens.every((token, index) => isHarmless(token, tokens[index - 1], tokens[index - 2])))
      return 'unknown';
    if (kind === 'expression' || onceStatements.has(word)) continue;
    if (!repeatingStatements.has(word)) return 'unknown';
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
      // A parenthesis after a name is a call. Only calls of known filters are harmless.
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
