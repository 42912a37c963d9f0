import { isEditable, isSource } from '../definition/source.ts';
import type { Catalog, CatalogEntry } from './catalog.ts';
import type { Shelf } from './shelf.ts';
import type { Usage } from './usage.ts';

/** Which prompts clients list, in order of preference, and how many. All others can still be found and used by name. */
export interface ExposeOptions {
  readonly rules: readonly string[];
  readonly limit: number;
}

interface Choice {
  readonly of: readonly unknown[];
  readonly chosen: readonly CatalogEntry[];
}

interface Facts {
  readonly favourites: ReadonlySet<string>;
  /** How often and how recently each prompt was used. */
  readonly uses: ReadonlyMap<string, number>;
}

const dayMs = 86_400_000;

/** Chooses the prompts that `prompts/list` shows: clients make each of them a command, and thousands flood a menu. */
export class Exposure {
  readonly #catalog: Catalog;
  readonly #options: ExposeOptions;
  readonly #shelf: Shelf;
  readonly #usage: Usage | undefined;
  #today: { readonly day: number; readonly uses: Facts['uses'] } | undefined;
  /** The uses that were known when a client first asked for the list. */
  readonly #usesOf = new WeakMap<object, Facts['uses']>();
  readonly #last = new WeakMap<Facts['uses'], Choice>();

  constructor(catalog: Catalog, options: ExposeOptions, shelf: Shelf, usage?: Usage) {
    this.#catalog = catalog;
    this.#options = options;
    this.#shelf = shelf;
    this.#usage = usage;
  }

  /**
   * The same array until the catalog or a favourite changes. Uses change the list once a day, and never for a client that has
   * it. Prompts that were listed before stay, unless preferred ones take their place.
   */
  async choose(entries: readonly CatalogEntry[], client?: object): Promise<readonly CatalogEntry[]> {
    const { rules, limit } = this.#options;
    if (rules.includes('all') || (entries.length <= limit && rules.includes('others'))) return entries;
    const filings = await this.#shelf.filings();
    const uses = await this.#usesFor(client);
    const last = this.#last.get(uses);
    if (last?.of[0] === entries && last.of[1] === filings) return last.chosen;
    const favourites = [...filings.values()].flatMap((one) => (one.favourite ? [one.prompt] : []));
    const facts: Facts = { favourites: new Set(favourites), uses };
    const listed = new Set(last?.chosen.map(({ definition }) => definition.name));
    const places = new Map<unknown, number>();
    const ranked = entries.flatMap((entry) => {
      const rank = rules.findIndex((rule) => matches(rule, entry, facts));
      if (rank < 0) return [];
      const place = places.get(entry.source) ?? 0;
      places.set(entry.source, place + 1);
      const { name } = entry.definition;
      const use = rules[rank] === 'used' ? -(facts.uses.get(name) ?? 0) : 0;
      // Of the others, every source shows some.
      const source = this.#catalog.sources.indexOf(entry.source);
      return [{ entry, keys: [rank, listed.has(name) ? 0 : 1, use, place, source] }];
    });
    const chosen = ranked
      .sort((one, other) => compare(one.keys, other.keys))
      .slice(0, limit)
      .map(({ entry }) => entry)
      .sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
    this.#last.set(uses, { of: [entries, filings], chosen });
    return chosen;
  }

  async #usesFor(client: object | undefined): Promise<Facts['uses']> {
    const known = client && this.#usesOf.get(client);
    if (known !== undefined) return known;
    const day = Math.floor(Date.now() / dayMs);
    if (this.#today?.day !== day) this.#today = { day, uses: new Map((await this.#usage?.boosts()) ?? []) };
    const { uses } = this.#today;
    if (client !== undefined) this.#usesOf.set(client, uses);
    return uses;
  }
}

function matches(rule: string, { definition, source }: CatalogEntry, { favourites, uses }: Facts): boolean {
  const [, kind, value] = /^(tag|source):(.+)$/s.exec(rule) ?? [];
  if (kind === 'tag') return definition.tags.includes(value!);
  if (kind === 'source') return isSource(source, value!);
  if (rule === 'own') return isEditable(source) || source.name === 'commands' || source.name === 'libraries';
  if (rule === 'favourites') return favourites.has(definition.name);
  return rule === 'others' || (rule === 'used' && uses.has(definition.name));
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) if (value !== other[index]) return value - other[index]!;
  return 0;
}
