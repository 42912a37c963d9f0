import { lexTemplate, type Tag, type Token } from './lexer.ts';
import { Lines } from './position.ts';
import type { MethodCall, NameUse, TemplateReference, TemplateScan, VariableUse } from './template-scan.ts';
import { endsOperand, isGuard, isWord, splitAll, splitAt, splitBrackets, withoutContext } from './tokens.ts';

export function scanTemplate(source: string): TemplateScan {
  const scanner = new Scanner(source);
  for (const tag of lexTemplate(source)) scanner.tag(tag);
  return scanner.finish();
}

const words = new Set('and or not in is if else elif true false none True False None'.split(' '));

/** A statement that is still open. */
interface Frame {
  readonly kind: string;
  /** Names to set in the surrounding scope at its end. */
  readonly targets?: readonly Token[];
}

/** Goes over the tags once, with a stack of scopes. */
class Scanner {
  readonly #variables: (VariableUse & { readonly late: boolean })[] = [];
  readonly #filters: NameUse[] = [];
  readonly #tests: NameUse[] = [];
  readonly #methods: MethodCall[] = [];
  readonly #imported = new Set<string>();
  readonly #statements: NameUse[] = [];
  readonly #references: TemplateReference[] = [];
  readonly #lines: Lines;
  readonly #scopes: Set<string>[] = [new Set()];
  readonly #frames: Frame[] = [];

  constructor(source: string) {
    this.#lines = new Lines(source);
  }

  finish(): TemplateScan {
    const [top] = this.#scopes;
    return {
      variables: this.#variables
        .filter(({ late, name }) => !(late && top!.has(name)))
        .map(({ late: _, ...use }) => use),
      filters: this.#filters,
      tests: this.#tests,
      methods: this.#methods,
      imported: this.#imported,
      statements: this.#statements,
      references: this.#references,
    };
  }

  tag({ kind, tokens }: Tag): void {
    const [first, ...rest] = tokens;
    if (kind === 'expression') this.#read(tokens);
    else if (first !== undefined) {
      this.#statements.push(this.#use(first));
      this.#statement(first, rest);
    }
  }

  #statement(word: Token, rest: readonly Token[]): void {
    switch (word.text) {
      case 'for':
        return this.#for(rest);
      case 'else':
        // What a loop sets is gone in its else.
        if (this.#frames.at(-1)?.kind === 'for') this.#scopes.splice(-1, 1, new Set());
        return;
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
        this.#read([{ kind: 'operator', text: '|', offset: word.offset }, ...rest]);
        return this.#open('filter');
      case 'block':
        return this.#open('block');
      case 'import':
      case 'from':
        return this.#import(rest);
      case 'include':
        return this.#include(rest);
      case 'extends':
        this.#read(rest);
        return this.#refer('extends', rest, false);
      case 'endfor':
      case 'endset':
      case 'endwith':
      case 'endmacro':
      case 'endcall':
      case 'endfilter':
      case 'endblock':
        return this.#close(word.text.slice('end'.length));
      default:
        return this.#read(rest);
    }
  }

  #for(tokens: readonly Token[]): void {
    const [targets, source] = splitAt(tokens, (token) => isWord(token, 'in'));
    const recursive = isWord(source.at(-1), 'recursive') && endsOperand(source.at(-2));
    const [list, condition] = splitAt(recursive ? source.slice(0, -1) : source, (token) =>
      isWord(token, 'if'),
    );
    this.#read(list);
    this.#open('for');
    this.#declare(targets);
    this.#read(condition);
    this.#know('loop');
  }

  #set(tokens: readonly Token[]): void {
    const [targets, value, found] = splitAt(tokens, (token) => token.text === '=');
    if (found) {
      this.#read(value);
      return this.#declare(targets);
    }
    const [names, filters] = splitAt(tokens, (token) => token.text === '|');
    this.#read([{ kind: 'operator', text: '|', offset: 0 }, ...filters]);
    this.#open('set', names);
  }

  #with(tokens: readonly Token[]): void {
    const parts = splitAll(tokens, ',').map((part) => splitAt(part, (token) => token.text === '='));
    for (const [, value] of parts) this.#read(value);
    this.#open('with');
    for (const [targets] of parts) this.#declare(targets);
  }

  #call(tokens: readonly Token[]): void {
    const [parameters, macro] = splitBrackets(tokens);
    this.#read(macro);
    this.#open('call');
    this.#parameters(parameters);
  }

  /** `(a, b=default)`. */
  #parameters(tokens: readonly Token[]): void {
    for (const part of splitAll(tokens.slice(1, -1), ',')) {
      const [name, value] = splitAt(part, (token) => token.text === '=');
      this.#read(value);
      this.#declare(name);
    }
    this.#know('caller', 'varargs', 'kwargs');
  }

  /** `x as y`, or `x import a as b, c`, with or without `with context`. */
  #import(tokens: readonly Token[]): void {
    const [path, names] = splitAt(
      withoutContext(tokens),
      (token) => isWord(token, 'import') || isWord(token, 'as'),
    );
    this.#read(path);
    this.#refer('import', path, false);
    for (const part of splitAll(names, ',')) {
      this.#declare(part.slice(-1));
      for (const { text } of part.slice(-1)) this.#imported.add(text);
    }
  }

  #include(tokens: readonly Token[]): void {
    const path = withoutContext(tokens);
    const optional = isWord(path.at(-1), 'missing') && isWord(path.at(-2), 'ignore');
    const named = optional ? path.slice(0, -2) : path;
    this.#read(named);
    this.#refer('include', named, optional);
  }

  #refer(kind: TemplateReference['kind'], path: readonly Token[], optional: boolean): void {
    const [first] = path;
    if (first === undefined) return;
    const position = this.#lines.at(first.offset);
    // The parent of a template is rendered last, when all of the top level is set.
    const known =
      kind === 'extends' ? this.#scopes[0]! : new Set(this.#scopes.flatMap((scope) => [...scope]));
    const list = first.text === '[' || first.text === '(';
    const literal = path.filter((token) => token.kind === 'string');
    // Of several names the first that exists is taken.
    const names = list || path.length === 1 ? literal.map((token) => token.text.slice(1, -1)) : [];
    for (const name of names.length > 0 ? names : [undefined])
      this.#references.push({ kind, name, optional: optional || names.length > 1, known, ...position });
  }

  #open(kind: string, targets?: readonly Token[]): void {
    this.#scopes.push(new Set());
    this.#frames.push({ kind, ...(targets !== undefined && { targets }) });
  }

  #close(kind: string): void {
    if (this.#frames.at(-1)?.kind !== kind) return;
    const { targets } = this.#frames.pop()!;
    this.#scopes.pop();
    if (targets !== undefined) this.#declare(targets);
  }

  /** Sets names in the present scope; `namespace.name = …` reads the namespace instead. */
  #declare(targets: readonly Token[]): void {
    if (targets.some((token) => token.text === '.')) return this.#read(targets);
    this.#know(...targets.filter(({ kind }) => kind === 'name').map(({ text }) => text));
  }

  #know(...names: readonly string[]): void {
    for (const name of names) this.#scopes.at(-1)!.add(name);
  }

  /** Notes every name of an expression by the place it stands in. */
  #read(tokens: readonly Token[]): void {
    tokens.forEach((token, index) => {
      if (token.kind !== 'name') return;
      const before = tokens[index - 1];
      const after = tokens[index + 1];
      if (before?.text === '.') {
        const object = tokens[index - 2];
        if (after?.text === '(')
          this.#methods.push({
            ...this.#use(token),
            object: object?.kind === 'name' && tokens[index - 3]?.text !== '.' ? object.text : undefined,
          });
        return;
      }
      if (before?.text === '|') {
        this.#filters.push(this.#use(token));
        this.#readNamed(token.text, tokens.slice(index + 1, index + 5));
      } else if (isWord(token, 'not') && isWord(before, 'is')) return;
      else if (isWord(before, 'is') || (isWord(before, 'not') && isWord(tokens[index - 2], 'is')))
        this.#tests.push(this.#use(token));
      else if (words.has(token.text)) return;
      else if (after?.text === '=' && (before?.text === '(' || before?.text === ',')) return;
      else if (!this.#scopes.some((scope) => scope.has(token.text)))
        this.#variables.push({
          ...this.#use(token),
          called: after?.text === '(',
          guarded: isGuard(tokens.slice(index + 1, index + 4)),
          // A macro runs when it is called: what the top level sets after it is known to it.
          late: this.#frames.some(({ kind }) => kind === 'macro' || kind === 'block'),
        });
    });
  }

  /** `map('upper')` names a filter; `select('odd')` and `selectattr('x', 'odd')` name a test. */
  #readNamed(filter: string, [open, first, comma, second]: readonly Token[]): void {
    if (open?.text !== '(' || first?.kind !== 'string') return;
    if (filter === 'map') this.#filters.push(this.#named(first));
    if (filter === 'select' || filter === 'reject') this.#tests.push(this.#named(first));
    if (
      (filter === 'selectattr' || filter === 'rejectattr') &&
      comma?.text === ',' &&
      second?.kind === 'string'
    )
      this.#tests.push(this.#named(second));
  }

  #named({ text, offset }: Token): NameUse {
    return { name: text.slice(1, -1), ...this.#lines.at(offset) };
  }

  #use({ text, offset }: Token): NameUse {
    return { name: text, ...this.#lines.at(offset) };
  }
}
