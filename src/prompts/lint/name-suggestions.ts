import { nearest } from '../../nearest.ts';

/** The number of comparisons between two names that one prompt is worth. */
const maxComparisons = 100_000;

/** The declared names of a prompt. Suggests one for a misspelled name, until the prompt has used up its comparisons. */
export class NameSuggestions {
  readonly #names: ReadonlySet<string>;
  readonly #suggested = new Map<string, string | undefined>();
  #comparisons = 0;

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  nearest(written: string): string | undefined {
    if (this.#suggested.has(written)) return this.#suggested.get(written);
    this.#comparisons += this.#names.size;
    if (this.#comparisons > maxComparisons) return undefined;
    const found = nearest(written, this.#names);
    this.#suggested.set(written, found);
    return found;
  }
}
