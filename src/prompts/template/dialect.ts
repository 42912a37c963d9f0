import { lexTemplate, type Tag, type Token } from './lexer.ts';
import { Lines, type Position } from './position.ts';
import { isWord, splitAll, splitAt, splitBrackets } from './tokens.ts';

/** Something Jinja2 has and the engine would pass over in silence, with wrong text as the result. */
export interface Unsupported extends Position {
  readonly message: string;
}

interface Finding {
  readonly token: Token;
  readonly message: string;
}

/** Keyword arguments the engine's own filters know. Others it would take for the next positional one. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  abs: [],
  attr: [],
  batch: [],
  capitalize: [],
  d: [],
  default: [],
  dictsort: ['by', 'case_sensitive', 'reverse'],
  filesizeformat: [],
  first: [],
  float: [],
  groupby: ['attribute', 'default', 'case_sensitive'],
  join: [],
  last: [],
  list: [],
  lower: [],
  map: ['attribute', 'default'],
  max: [],
  min: [],
  reject: [],
  rejectattr: [],
  replace: [],
  reverse: [],
  round: [],
  select: [],
  selectattr: [],
  slice: [],
  sort: ['attribute', 'case_sensitive', 'reverse'],
  sum: [],
  tojson: ['indent'],
  trim: [],
  unique: ['attribute', 'case_sensitive'],
  upper: [],
};
/** Where the argument exists, but without its name. */
const byPlace = new Set(['batch', 'd', 'default', 'join', 'replace', 'round', 'slice', 'trim']);
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const boundaries = new Set(['and', 'or', 'if', 'else', ',', '=', ':', '(', '[', '{', ')', ']', '}']);

/** Constructs that must be refused before the template is rendered, in the order of the text. */
export function unsupportedConstructs(source: string): readonly Unsupported[] {
  const tags = lexTemplate(source);
  const findings = tags.flatMap((tag) => [
    ...(tag.kind === 'statement' ? inStatement(tag) : []),
    ...inExpressions(tag),
  ]);
  if (findings.length === 0) return [];
  const lines = new Lines(source);
  return findings
    .sort((a, b) => a.token.offset - b.token.offset)
    .map(({ token, message }) => ({ ...lines.at(token.offset), message }));
}

function inStatement({ tokens: [word, ...rest] }: Tag): readonly Finding[] {
  switch (word?.text) {
    case 'include':
    case 'import':
    case 'from': {
      const at = rest.at(-2);
      return isWord(at, 'without') && isWord(rest.at(-1), 'context')
        ? [
            {
              token: at!,
              message: '"without context" is not supported: what is included always sees the context',
            },
          ]
        : [];
    }
    case 'block': {
      const extra = rest.find((token, index) => index > 0 && /^(scoped|required)$/.test(token.text));
      return extra === undefined
        ? []
        : [
            {
              token: extra,
              message: `"${extra.text}" is not supported on a block; a block always sees the names around it`,
            },
          ];
    }
    case 'with':
      return earlierNames(rest, 'the values of one "with" are set one after the other; use two');
    case 'macro':
      return earlierNames(
        splitBrackets(rest.slice(1))[0].slice(1, -1),
        'a default cannot name an earlier parameter of its macro',
      );
    default:
      return [];
  }
}

/** Of `a = x, b = y`: uses of the names on the left in values further to the right. */
function earlierNames(tokens: readonly Token[], message: string): readonly Finding[] {
  const names = new Set<string>();
  return splitAll(tokens, ',').flatMap((part) => {
    const [targets, value] = splitAt(part, (token) => token.text === '=');
    const used = value.find(
      (token, index) => token.kind === 'name' && names.has(token.text) && value[index - 1]?.text !== '.',
    );
    for (const { text } of targets) names.add(text);
    return used === undefined ? [] : [{ token: used, message: `${message} ("${used.text}")` }];
  });
}

function inExpressions({ kind, tokens }: Tag): readonly Finding[] {
  // The first `in` of a loop compares nothing.
  const loop = kind === 'statement' && isWord(tokens[0], 'for');
  const expression = loop ? splitAt(tokens, (token) => isWord(token, 'in'))[1] : tokens;
  return [...chainedComparisons(expression), ...filterArguments(expression)];
}

function chainedComparisons(tokens: readonly Token[]): readonly Finding[] {
  const findings: Finding[] = [];
  const outer: boolean[] = [];
  let compared = false;
  for (const token of tokens) {
    if (token.kind === 'string' || token.kind === 'number') continue;
    if ('([{'.includes(token.text)) outer.push(compared);
    if (boundaries.has(token.text)) compared = false;
    if (')]}'.includes(token.text)) compared = outer.pop() ?? false;
    if (!comparisons.has(token.text)) continue;
    if (compared)
      findings.push({
        token,
        message: `chained comparison is not supported: join two with "and" (at "${token.text}")`,
      });
    compared = true;
  }
  return findings;
}

/** Goes over the tokens once: calls may be nested thousands deep. */
function filterArguments(tokens: readonly Token[]): readonly Finding[] {
  const findings: Finding[] = [];
  /** The filter that each open bracket calls, if it is one of the engine's own. */
  const calls: (Token | undefined)[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'operator') continue;
    if ('([{'.includes(token.text)) calls.push(filterCalledAt(tokens, index));
    else if (')]}'.includes(token.text)) calls.pop();
    else if (token.text !== ',') continue;
    const filter = calls.at(-1);
    const isStart = token.text === '(' || token.text === ',';
    if (filter === undefined || !isStart || tokens[index + 2]?.text !== '=') continue;
    const name = tokens[index + 1]!;
    if (name.kind === 'name') findings.push(...keywordFindings(filter, name, tokens[index + 3]));
  }
  return findings;
}

function filterCalledAt(tokens: readonly Token[], open: number): Token | undefined {
  const filter = tokens[open - 1];
  const pipe = tokens[open - 2];
  if (tokens[open]!.text !== '(' || pipe?.text !== '|' || pipe.kind !== 'operator') return undefined;
  return filter !== undefined && Object.hasOwn(keywords, filter.text) ? filter : undefined;
}

function keywordFindings(filter: Token, name: Token, value: Token | undefined): readonly Finding[] {
  if (!keywords[filter.text]!.includes(name.text))
    return [
      {
        token: name,
        message: `filter ${filter.text} does not take the keyword argument "${name.text}"${
          name.text === 'attribute'
            ? '; use map(attribute=…) before it'
            : byPlace.has(filter.text)
              ? '; give it by its place'
              : ''
        }`,
      },
    ];
  if (
    filter.text === 'sort' &&
    name.text === 'attribute' &&
    value?.kind === 'string' &&
    value.text.includes(',')
  )
    return [{ token: value, message: 'filter sort cannot sort by several attributes at once' }];
  return [];
}
