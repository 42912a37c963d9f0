import type { Position } from './position.ts';

export interface NameUse extends Position {
  readonly name: string;
}

export interface VariableUse extends NameUse {
  /** Called like a function. */
  readonly called: boolean;
  /** Asked about with `is defined`, or given a default: it may be absent. */
  readonly guarded: boolean;
}

export interface MethodCall extends NameUse {
  /** The name before the dot, where it is one. */
  readonly object: string | undefined;
}

export interface TemplateReference extends Position {
  readonly kind: 'include' | 'import' | 'extends';
  /** Its name, where it is written as text; an expression is known only at run time. */
  readonly name: string | undefined;
  /** `ignore missing`. */
  readonly optional: boolean;
  /** Names set in the template that are visible at this place. */
  readonly known: ReadonlySet<string>;
}

/** Everything a template names, without rendering it. */
export interface TemplateScan {
  /** Every use of a name that the template itself does not set. */
  readonly variables: readonly VariableUse[];
  readonly filters: readonly NameUse[];
  readonly tests: readonly NameUse[];
  readonly methods: readonly MethodCall[];
  /** Names that come from other templates. */
  readonly imported: ReadonlySet<string>;
  /** The first word of every `{% %}`. */
  readonly statements: readonly NameUse[];
  readonly references: readonly TemplateReference[];
}
