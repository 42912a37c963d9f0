import { scanTemplate } from './scanner.ts';
import type { VariableUse } from './template-scan.ts';

/** Functions that the engine provides in every template. */
export const globalNames: ReadonlySet<string> = new Set([
  'range',
  'dict',
  'namespace',
  'cycler',
  'joiner',
  'debug',
  'self',
  'super',
]);

export interface FreeVariable extends VariableUse {
  /** The included template that uses the variable. Absent if the given template itself uses it. */
  readonly template?: string;
}

type Loader = (template: string) => string | undefined;

/**
 * The names that a template reads but does not set, in the order of the text, followed by those of the templates it
 * includes, extends or imports. Templates for which `load` returns `undefined` are skipped.
 */
export function freeVariables(source: string, load: Loader = () => undefined): readonly FreeVariable[] {
  return collect(source, undefined, load, new Map());
}

function collect(
  source: string,
  template: string | undefined,
  load: Loader,
  collected: Map<string, readonly FreeVariable[]>,
): readonly FreeVariable[] {
  const { variables, references } = scanTemplate(source);
  const own = variables
    .filter(({ name }) => !globalNames.has(name))
    .map((use) => ({ ...use, ...(template !== undefined && { template }) }));
  const others = references.flatMap(({ name, known }) => {
    if (name === undefined) return [];
    if (!collected.has(name)) {
      // An empty entry stops the recursion if a template includes itself.
      collected.set(name, []);
      const found = load(name);
      if (found !== undefined) collected.set(name, collect(found, name, load, collected));
    }
    return collected.get(name)!.filter((use) => !known.has(use.name));
  });
  return [...own, ...new Set(others)];
}
