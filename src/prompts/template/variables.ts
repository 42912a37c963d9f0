import { scanTemplate } from './scanner.ts';
import type { VariableUse } from './template-scan.ts';

/** Functions that every template can call without anybody handing them over. */
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
  /** The template it stands in, where that is not the one asked about. */
  readonly template?: string;
}

type Loader = (template: string) => string | undefined;

/**
 * The names a template reads but does not set, in the order of the text, then those of the templates it includes, extends
 * or imports where `load` knows them.
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
      // A template that leads back to itself adds nothing the second time.
      collected.set(name, []);
      const found = load(name);
      if (found !== undefined) collected.set(name, collect(found, name, load, collected));
    }
    return collected.get(name)!.filter((use) => !known.has(use.name));
  });
  return [...own, ...new Set(others)];
}
