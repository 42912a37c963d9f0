import type { Environment } from 'minijinja-js';
import { unsupportedConstructs } from '../template/dialect.ts';
import { isWord, lexTemplate, splitAt, type Token } from '../template/lexer.ts';
import { resolveReferences, templateLabel } from '../template/references.ts';
import { installFilters } from './filters.ts';
import { EngineStopped, environmentOf, freeEnvironment, runGuarded } from './jinja-engine.ts';
import { type ParsedTemplateError, parseTemplateError, TemplateError } from './template-error.ts';

interface JinjaLimits {
  /** Maximum number of steps per rendering. */
  readonly fuel: number;
  readonly milliseconds: number;
}

/** Arguments shorter than this in total render quickly even if the template repeats them until the fuel is used up. */
const shortArgumentsLength = 10_000;

const longSourceLength = 20_000;

const defaults: JinjaLimits = { fuel: 100_000, milliseconds: 2000 };

/**
 * A set of templates that can include, import and extend only one another. Names must end in `.md` or `.txt`, because the
 * engine may enable escaping for other extensions. Undefined values print as nothing.
 */
export class Jinja {
  readonly #limits: JinjaLimits;
  readonly #sources = new Map<string, string>();
  readonly #costs = new Map<string, TemplateCost>();

  constructor(limits: Partial<JinjaLimits> = {}) {
    this.#limits = { ...defaults, ...limits };
  }

  /** Adds or replaces a template. Throws TemplateError if it is invalid, and keeps the previous version. */
  set(name: string, source: string): void {
    if (this.#sources.get(name) === source) return;
    const [refused] = unsupportedConstructs(source);
    if (refused !== undefined) throw new TemplateError(name, refused.message, refused.line, refused.column);
    const environment = this.#environment;
    try {
      // Compile time grows with the length of the source, so only long sources need a time limit.
      const limit = source.length < longSourceLength ? undefined : this.#limits.milliseconds;
      runGuarded(limit, () => environment.addTemplate(name, prepared(name, source)));
    } catch (error) {
      throw this.#explain(name, error, source).error;
    }
    this.#sources.set(name, source);
    this.#costs.set(name, costOf(source));
  }

  /** Throws TemplateError with the failing template and line. The message never contains an argument's value. */
  render(name: string, args: Readonly<Record<string, unknown>>): string {
    return this.#render(name, args, new Set([name]));
  }

  close(): void {
    freeEnvironment(this);
    this.#sources.clear();
    this.#costs.clear();
  }

  #render(name: string, args: Readonly<Record<string, unknown>>, failedIncludes: Set<string>): string {
    const environment = this.#environment;
    // Remove absent arguments, because the engine prints null and undefined as "none".
    const context = Object.fromEntries(Object.entries(args).filter(([, value]) => value != null));
    try {
      const limit = this.#isCheap(name, context) ? undefined : this.#limits.milliseconds;
      return runGuarded(limit, () => environment.renderTemplate(name, context));
    } catch (error) {
      const { included, error: explained } = this.#explain(name, error, this.#sources.get(name) ?? '');
      // The engine reports only the position of the include. Render the included template alone to get the position of the error.
      if (included !== undefined && failedIncludes.has(included))
        throw new TemplateError(
          explained.template,
          `${templateLabel(included)} includes itself`,
          explained.line,
          explained.column,
        );
      if (included !== undefined) this.#render(included, context, failedIncludes.add(included));
      throw explained;
    }
  }

  /** Whether the fuel limit alone is enough because no single step can take long. */
  #isCheap(name: string, context: Readonly<Record<string, unknown>>): boolean {
    if (this.#costs.get(name) === 'small') return true;
    if ([...this.#costs.values()].includes('unknown')) return false;
    const given = Object.values(context);
    return (
      given.every((value) => typeof value === 'string') &&
      given.reduce((length, value) => length + value.length, 0) < shortArgumentsLength
    );
  }

  get #environment(): Environment {
    return environmentOf(this, (environment) => {
      environment.undefinedBehavior = 'chainable';
      environment.fuel = this.#limits.fuel;
      // Debug mode adds the position to errors. It also adds values, which parseTemplateError removes.
      environment.debug = true;
      environment.enablePyCompat();
      environment.removeGlobal('debug');
      installFilters(environment);
      for (const [name, source] of this.#sources) environment.addTemplate(name, prepared(name, source));
    });
  }

  #explain(name: string, error: unknown, source: string): ParsedTemplateError {
    if (error instanceof EngineStopped)
      return {
        error: new TemplateError(name, `the template ${error.message}`, undefined, undefined, error.isSlow),
        included: undefined,
      };
    if (!(error instanceof Error)) throw error;
    return parseTemplateError(name, error.message, (template) =>
      prepared(template, template === name ? source : (this.#sources.get(template) ?? '')),
    );
  }
}

/** The source passed to the engine. Line numbers stay the same. */
function prepared(name: string, source: string): string {
  return withOptionalSlices(withCountedLoops(resolveReferences(name, source)));
}

const needsEnd = /\bloop\s*\.\s*(?:last|length|revindex0?)\b/;

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

function edited(source: string, edits: readonly Edit[]): string {
  let text = '';
  let end = 0;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    text += source.slice(end, edit.from) + edit.text;
    end = edit.to;
  }
  return text + source.slice(end);
}

/**
 * Turns the items of every loop into a list: `in x` becomes `in (x)|list`. The engine does not know the length of a text,
 * so `loop.last`, `loop.length` and `loop.revindex` would be wrong or empty in a loop over its characters.
 */
function withCountedLoops(source: string): string {
  if (!needsEnd.test(source)) return source;
  const edits = lexTemplate(source).flatMap(({ kind, tokens }): Edit[] => {
    if (kind !== 'statement' || !isWord(tokens[0], 'for')) return [];
    // The items are between `in` and the end of the tag, a filter (`if …`) or `recursive`.
    const [, list] = splitAt(tokens, (token) => isWord(token, 'in'));
    const [items] = splitAt(list, (token) => isWord(token, 'if') || isWord(token, 'recursive'));
    const [first, last] = [items[0], items.at(-1)];
    if (first === undefined || last === undefined) return [];
    const [from, to] = [first.offset, last.offset + last.text.length];
    return [{ from, to, text: `(${source.slice(from, to)})|list` }];
  });
  return edited(source, edits);
}

/**
 * Makes a slice of an undefined value print as nothing, as in Jinja2: `x[:9]` becomes `(x|default(''))[:9]`, because the
 * engine would print an empty list. `x[::-1]` becomes the filter `reverse`, because the engine crashes on an empty string.
 */
export function withOptionalSlices(source: string): string {
  if (!source.includes('[')) return source;
  return edited(
    source,
    lexTemplate(source).flatMap(({ tokens }) => editsOf(tokens)),
  );
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

/**
 * Upper bound for the cost of rendering. `small`: every part is rendered at most once. `bounded`: the fuel limits how often
 * parts repeat, and no step makes a text longer. `unknown`: no bound is known.
 */
export type TemplateCost = 'small' | 'bounded' | 'unknown';

const onceStatements = new Set(['if', 'elif', 'else', 'endif']);
const repeatingStatements = new Set(['for', 'endfor', 'set', 'include', 'extends', 'block', 'endblock']);
const harmlessOperators = new Set(['.', '|', '(', ')', '[', ']', ',', '=', '==', '!=', '<', '>', '<=', '>=']);
/** Filters whose result is about as long as their input, or shorter. */
const harmlessFilters = new Set(
  'upper lower trim capitalize title default d length count first last string'.split(' '),
);
const harmlessTests = new Set('defined undefined none string not'.split(' '));
const harmlessWords = new Set('and or not if elif else in is'.split(' '));

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
        return harmlessWords.has(before.text) || beforeThat?.text === '|';
      return harmlessOperators.has(token.text);
    case 'name':
      if (before?.text === '|') return harmlessFilters.has(token.text);
      if (before?.text === 'is' || (before?.text === 'not' && beforeThat?.text === 'is'))
        return harmlessTests.has(token.text);
      return true;
  }
}
