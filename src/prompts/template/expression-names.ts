import type { Token } from './lexer.ts';
import type { Lines } from './position.ts';
import type { MethodCall, NameUse, VariableUse } from './template-scan.ts';
import { isGuard, isWord } from './tokens.ts';

const keywords = new Set('and or not in is if else elif true false none True False None'.split(' '));

interface Visibility {
  /** Whether the template itself sets the name, so that it is not a free variable. */
  readonly isSet: (name: string) => boolean;
  /** Whether the expression is evaluated later, as in a macro. */
  readonly deferred: boolean;
}

/** Collects the variables, filters, tests and methods that expressions use. */
export class ExpressionNames {
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
