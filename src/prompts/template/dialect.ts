import {
  isWord,
  Lines,
  lexTemplate,
  type Position,
  splitAll,
  splitAt,
  splitBrackets,
  type Tag,
  type Token,
} from './lexer.ts';

/** A Jinja2 construct that the engine would silently ignore and render incorrectly. */
export interface Unsupported extends Position {
  readonly message: string;
}

interface Finding {
  readonly token: Token;
  readonly message: string;
}

const withoutKeywords =
  'abs attr batch capitalize d default filesizeformat first float join last list lower max min reject rejectattr replace reverse round select selectattr slice sum trim upper';
/** Keyword arguments of the engine's own filters. The engine treats any other keyword argument as the next positional one. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(withoutKeywords.split(' ').map((filter) => [filter, []])),
  dictsort: ['by', 'case_sensitive', 'reverse'],
  groupby: ['attribute', 'default', 'case_sensitive'],
  map: ['attribute', 'default'],
  sort: ['attribute', 'case_sensitive', 'reverse'],
  tojson: ['indent'],
  unique: ['attribute', 'case_sensitive'],
};
/** Filters that accept the argument by position but not by name. */
const positionalOnly = new Set(['batch', 'd', 'default', 'join', 'replace', 'round', 'slice', 'trim']);
const comparisons = new Set(['==', '!=', '<', '<=', '>', '>=', 'in']);
const boundaries = new Set(['and', 'or', 'if', 'else', ',', '=', ':', '(', '[', '{', ')', ']', '}']);

/** Constructs that must be refused before rendering, in the order of the text. */
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
              message: '"without context" is not supported; included templates always see the context',
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
              message: `"${extra.text}" is not supported on a block; a block always sees the surrounding names`,
            },
          ];
    }
    case 'with':
      return earlierNames(
        rest,
        'a value in "with" cannot use a name from the same "with"; use two "with" blocks',
      );
    case 'macro':
      return earlierNames(
        splitBrackets(rest.slice(1))[0].slice(1, -1),
        'a default value cannot use an earlier parameter of the macro',
      );
    default:
      return [];
  }
}

/** In `a = x, b = y`, finds values that use a name assigned earlier in the same list. */
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
  // The first `in` of a loop is not a comparison.
  const isLoop = kind === 'statement' && isWord(tokens[0], 'for');
  const expression = isLoop ? splitAt(tokens, (token) => isWord(token, 'in'))[1] : tokens;
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
        message: `chained comparisons are not supported; join two comparisons with "and" (at "${token.text}")`,
      });
    compared = true;
  }
  return findings;
}

/** Finds unsupported keyword arguments in a single pass, because calls can be nested thousands of levels deep. */
function filterArguments(tokens: readonly Token[]): readonly Finding[] {
  const findings: Finding[] = [];
  /** For each open bracket, the filter that it calls, if that is one of the engine's own filters. */
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
            : positionalOnly.has(filter.text)
              ? '; pass it by position'
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
