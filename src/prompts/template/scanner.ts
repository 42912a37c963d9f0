import {
  endsOperand,
  isGuard,
  isWord,
  Lines,
  lexTemplate,
  type Position,
  splitAll,
  splitAt,
  splitBrackets,
  type Tag,
  type Token,
  withoutContext,
} from './lexer.ts';
import { type KnownNames, NameScopes } from './name-scopes.ts';

interface NameUse extends Position {
  readonly name: string;
}

export interface VariableUse extends NameUse {
  /** The template calls the variable like a function. */
  readonly called: boolean;
  /** The template handles a missing value with `is defined` or `default`. */
  readonly guarded: boolean;
}

interface MethodCall extends NameUse {
  /** The name before the dot, or `undefined` if another expression stands there. */
  readonly object: string | undefined;
}

export interface TemplateReference extends Position {
  readonly kind: 'include' | 'import' | 'extends';
  /** The name if it is a string literal. `undefined` for an expression, whose value is known only at run time. */
  readonly name: string | undefined;
  /** True for `ignore missing`, and for a list of alternatives. */
  readonly optional: boolean;
  /** Names set by the template that are visible to the referenced template. */
  readonly known: KnownNames;
}

/** All names used in a template, found without rendering it. */
interface TemplateScan {
  /** Every use of a name that the template does not set itself. */
  readonly variables: readonly VariableUse[];
  readonly filters: readonly NameUse[];
  readonly tests: readonly NameUse[];
  readonly methods: readonly MethodCall[];
  /** Names imported from other templates. */
  readonly imported: ReadonlySet<string>;
  /** The first word of every `{% %}`. */
  readonly statements: readonly NameUse[];
  readonly references: readonly TemplateReference[];
}

export function scanTemplate(source: string): TemplateScan {
  const scanner = new Scanner(source);
  for (const tag of lexTemplate(source)) scanner.tag(tag);
  return scanner.finish();
}

/** A statement that is still open. */
interface Frame {
  readonly kind: string;
  /** Names that a `{% set %}` block sets in the surrounding scope at its end. */
  readonly targets?: readonly Token[];
}

/** Reads the tags once and tracks which names the template sets in each scope. */
class Scanner {
  readonly #names: ExpressionNames;
  readonly #imported = new Set<string>();
  readonly #statements: NameUse[] = [];
  readonly #references: TemplateReference[] = [];
  readonly #lines: Lines;
  readonly #scopes = new NameScopes();
  readonly #frames: Frame[] = [];
  /** The number of open macros and blocks. */
  #deferring = 0;

  constructor(source: string) {
    this.#lines = new Lines(source);
    this.#names = new ExpressionNames(this.#lines);
  }

  finish(): TemplateScan {
    const { variables, filters, tests, methods } = this.#names;
    return {
      variables: variables
        .filter(({ deferred, name }) => !(deferred && this.#scopes.topHas(name)))
        .map(({ deferred: _, ...use }) => use),
      filters,
      tests,
      methods,
      imported: this.#imported,
      statements: this.#statements,
      references: this.#references,
    };
  }

  tag({ kind, tokens }: Tag): void {
    const [first, ...rest] = tokens;
    if (kind === 'expression') this.#readExpression(tokens);
    else if (first !== undefined) {
      this.#statements.push(this.#names.use(first));
      this.#statement(first, rest);
    }
  }

  #statement(word: Token, rest: readonly Token[]): void {
    switch (word.text) {
      case 'for':
        return this.#for(rest);
      case 'else':
        // Names set in the loop body are not visible in its else branch.
        if (this.#frames.at(-1)?.kind !== 'for') return;
        this.#scopes.close();
        return this.#scopes.open();
      case 'set':
        return this.#set(rest);
      case 'with':
        return this.#with(rest);
      case 'macro':
        this.#declare(rest.slice(0, 1));
        this.#open('macro');
        return this.#parameters(rest.slice(1));
      case 'call':
        return this.#call(rest);
      case 'filter':
        this.#readExpression([{ kind: 'operator', text: '|', offset: word.offset }, ...rest]);
        return this.#open('filter');
      case 'block':
        return this.#open('block');
      case 'import':
      case 'from':
        return this.#import(rest);
      case 'include':
        return this.#include(rest);
      case 'extends':
        this.#readExpression(rest);
        return this.#addReference('extends', rest, false);
      case 'endfor':
      case 'endset':
      case 'endwith':
      case 'endmacro':
      case 'endcall':
      case 'endfilter':
      case 'endblock':
        return this.#close(word.text.slice('end'.length));
      default:
        return this.#readExpression(rest);
    }
  }

  #for(tokens: readonly Token[]): void {
    const [targets, source] = splitAt(tokens, (token) => isWord(token, 'in'));
    const recursive = isWord(source.at(-1), 'recursive') && endsOperand(source.at(-2));
    const [list, condition] = splitAt(recursive ? source.slice(0, -1) : source, (token) =>
      isWord(token, 'if'),
    );
    this.#readExpression(list);
    this.#open('for');
    this.#declare(targets);
    this.#readExpression(condition);
    this.#scopes.add('loop');
  }

  #set(tokens: readonly Token[]): void {
    const [targets, value, found] = splitAt(tokens, (token) => token.text === '=');
    if (found) {
      this.#readExpression(value);
      return this.#declare(targets);
    }
    const [names, filters] = splitAt(tokens, (token) => token.text === '|');
    this.#readExpression([{ kind: 'operator', text: '|', offset: 0 }, ...filters]);
    this.#open('set', names);
  }

  #with(tokens: readonly Token[]): void {
    const parts = splitAll(tokens, ',').map((part) => splitAt(part, (token) => token.text === '='));
    for (const [, value] of parts) this.#readExpression(value);
    this.#open('with');
    for (const [targets] of parts) this.#declare(targets);
  }

  #call(tokens: readonly Token[]): void {
    const [parameters, macro] = splitBrackets(tokens);
    this.#readExpression(macro);
    this.#open('call');
    this.#parameters(parameters);
  }

  /** Declares parameters such as `(a, b=default)`. */
  #parameters(tokens: readonly Token[]): void {
    for (const part of splitAll(tokens.slice(1, -1), ',')) {
      const [name, value] = splitAt(part, (token) => token.text === '=');
      this.#readExpression(value);
      this.#declare(name);
    }
    for (const name of ['caller', 'varargs', 'kwargs']) this.#scopes.add(name);
  }

  /** Reads `x as y` or `x import a as b, c`, with or without `with context`. */
  #import(tokens: readonly Token[]): void {
    const [path, names] = splitAt(
      withoutContext(tokens),
      (token) => isWord(token, 'import') || isWord(token, 'as'),
    );
    this.#readExpression(path);
    this.#addReference('import', path, false);
    for (const part of splitAll(names, ',')) {
      this.#declare(part.slice(-1));
      for (const { text } of part.slice(-1)) this.#imported.add(text);
    }
  }

  #include(tokens: readonly Token[]): void {
    const path = withoutContext(tokens);
    const optional = isWord(path.at(-1), 'missing') && isWord(path.at(-2), 'ignore');
    const named = optional ? path.slice(0, -2) : path;
    this.#readExpression(named);
    this.#addReference('include', named, optional);
  }

  #addReference(kind: TemplateReference['kind'], path: readonly Token[], optional: boolean): void {
    const [first] = path;
    if (first === undefined) return;
    const position = this.#lines.at(first.offset);
    // The parent template is rendered last, when the top level has set all its names.
    const known = kind === 'extends' ? this.#scopes.topAtEnd() : this.#scopes.now();
    const list = first.text === '[' || first.text === '(';
    const literal = path.filter((token) => token.kind === 'string');
    // The engine uses the first name in the list that exists.
    const names = list || path.length === 1 ? literal.map((token) => token.text.slice(1, -1)) : [];
    for (const name of names.length > 0 ? names : [undefined])
      this.#references.push({ kind, name, optional: optional || names.length > 1, known, ...position });
  }

  #open(kind: string, targets?: readonly Token[]): void {
    this.#scopes.open();
    this.#frames.push({ kind, ...(targets !== undefined && { targets }) });
    if (isDeferred(kind)) this.#deferring += 1;
  }

  #close(kind: string): void {
    if (this.#frames.at(-1)?.kind !== kind) return;
    const { targets } = this.#frames.pop()!;
    this.#scopes.close();
    if (isDeferred(kind)) this.#deferring -= 1;
    if (targets !== undefined) this.#declare(targets);
  }

  /** Declares names in the current scope. An assignment to `namespace.name` only reads the namespace. */
  #declare(targets: readonly Token[]): void {
    if (targets.some((token) => token.text === '.')) return this.#readExpression(targets);
    for (const { kind, text } of targets) if (kind === 'name') this.#scopes.add(text);
  }

  #readExpression(tokens: readonly Token[]): void {
    this.#names.add(tokens, {
      isSet: (name) => this.#scopes.has(name),
      deferred: this.#deferring > 0,
    });
  }
}

/** A macro or block runs later, when the top level has set all its names. */
function isDeferred(kind: string): boolean {
  return kind === 'macro' || kind === 'block';
}

const keywords = new Set('and or not in is if else elif true false none True False None'.split(' '));

interface Visibility {
  /** Whether the template itself sets the name, so that it is not a free variable. */
  readonly isSet: (name: string) => boolean;
  /** Whether the expression is evaluated later, as in a macro. */
  readonly deferred: boolean;
}

/** Collects the variables, filters, tests and methods that expressions use. */
class ExpressionNames {
  readonly variables: (VariableUse & { readonly deferred: boolean })[] = [];
  readonly filters: NameUse[] = [];
  readonly tests: NameUse[] = [];
  readonly methods: MethodCall[] = [];
  readonly #lines: Lines;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  /** Adds the names in one expression. */
  add(tokens: readonly Token[], { isSet, deferred }: Visibility): void {
    tokens.forEach((token, index) => {
      if (token.kind !== 'name') return;
      const before = tokens[index - 1];
      const after = tokens[index + 1];
      if (before?.text === '.') {
        const object = tokens[index - 2];
        if (after?.text === '(')
          this.methods.push({
            ...this.use(token),
            object: object?.kind === 'name' && tokens[index - 3]?.text !== '.' ? object.text : undefined,
          });
        return;
      }
      if (before?.text === '|') {
        this.filters.push(this.use(token));
        this.#addQuoted(token.text, tokens.slice(index + 1, index + 5));
      } else if (isWord(token, 'not') && isWord(before, 'is')) return;
      else if (isWord(before, 'is') || (isWord(before, 'not') && isWord(tokens[index - 2], 'is')))
        this.tests.push(this.use(token));
      else if (keywords.has(token.text)) return;
      else if (after?.text === '=' && (before?.text === '(' || before?.text === ',')) return;
      else if (!isSet(token.text))
        this.variables.push({
          ...this.use(token),
          called: after?.text === '(',
          guarded: isGuard(tokens.slice(index + 1, index + 4)),
          deferred,
        });
    });
  }

  /** The name in a token, with its position. */
  use({ text, offset }: Token): NameUse {
    return { name: text, ...this.#lines.at(offset) };
  }

  /** `map('upper')` names a filter; `select('odd')` and `selectattr('x', 'odd')` name a test. */
  #addQuoted(filter: string, [open, first, comma, second]: readonly Token[]): void {
    if (open?.text !== '(' || first?.kind !== 'string') return;
    if (filter === 'map') this.filters.push(this.#quotedUse(first));
    if (filter === 'select' || filter === 'reject') this.tests.push(this.#quotedUse(first));
    if (
      (filter === 'selectattr' || filter === 'rejectattr') &&
      comma?.text === ',' &&
      second?.kind === 'string'
    )
      this.tests.push(this.#quotedUse(second));
  }

  #quotedUse({ text, offset }: Token): NameUse {
    return { name: text.slice(1, -1), ...this.#lines.at(offset) };
  }
}
