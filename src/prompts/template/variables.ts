import { lowerBound } from './name-scopes.ts';
import { scanTemplate, type TemplateReference, type VariableUse } from './scanner.ts';

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
  const others: { readonly place: number; readonly use: FreeVariable }[] = [];
  for (const [name, places] of placesByName(references)) {
    if (!collected.has(name)) {
      // An empty entry stops the recursion if a template includes itself.
      collected.set(name, []);
      const found = load(name);
      if (found !== undefined) collected.set(name, collect(found, name, load, collected));
    }
    for (const use of collected.get(name)!) {
      const place = firstPlaceWithout(use.name, places, references);
      if (place !== undefined) others.push({ place, use });
    }
  }
  others.sort((a, b) => a.place - b.place);
  return [...own, ...new Set(others.map(({ use }) => use))];
}

/** For each referenced template, the indexes of its references. All `extends` see the same names, so one is enough. */
function placesByName(references: readonly TemplateReference[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  const extended = new Set<string>();
  for (const [index, { name, kind }] of references.entries()) {
    if (name === undefined || (kind === 'extends' && extended.has(name))) continue;
    if (kind === 'extends') extended.add(name);
    const known = places.get(name);
    if (known === undefined) places.set(name, [index]);
    else known.push(index);
  }
  return places;
}

/** The first reference to a template at which the referring template has not set the name. */
function firstPlaceWithout(
  name: string,
  places: readonly number[],
  references: readonly TemplateReference[],
): number | undefined {
  const knownAt = (index: number) => references[places[index]!]!.known;
  for (let index = 0; index < places.length; ) {
    const end = knownAt(index).visibleUntil(name);
    if (end === undefined) return places[index]!;
    // Skip the references that see the name as well: there can be thousands of them.
    const next = lowerBound(places.length, (other) => knownAt(other).step >= end);
    index = Math.max(index + 1, next);
  }
  return undefined;
}
