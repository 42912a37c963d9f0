import type { KnownNames } from './name-scopes.ts';
import type { Position } from './position.ts';

export interface NameUse extends Position {
  readonly name: string;
}

export interface VariableUse extends NameUse {
  /** The template calls the variable like a function. */
  readonly called: boolean;
  /** The template handles a missing value with `is defined` or `default`. */
  readonly guarded: boolean;
}

export interface MethodCall extends NameUse {
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
export interface TemplateScan {
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
