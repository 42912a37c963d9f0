/** The names that a template sets itself, as one of its tags sees them. */
export interface KnownNames {
  /** How many times the visible names have changed before the tag, in the order of the text. */
  readonly step: number;
  /** The step at which the name is no longer visible. `undefined` if the tag does not see it. */
  visibleUntil(name: string): number | undefined;
}

/**
 * Tracks which names a template sets in each scope. A question about a name takes the same time at any depth, because
 * scopes can be nested thousands of levels deep.
 */
export class NameScopes {
  readonly #scopes: Set<string>[] = [new Set()];
  /** For each visible name, the number of scopes that set it. */
  readonly #counts = new Map<string, number>();
  /** For each name, the steps at which it became visible and invisible, in turn. */
  readonly #changes = new Map<string, number[]>();
  #step = 0;

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  /** Whether the outermost scope sets the name. */
  topHas(name: string): boolean {
    return this.#scopes[0]!.has(name);
  }

  add(name: string): void {
    const scope = this.#scopes.at(-1)!;
    if (scope.has(name)) return;
    scope.add(name);
    const count = this.#counts.get(name) ?? 0;
    this.#counts.set(name, count + 1);
    if (count === 0) this.#recordChange(name);
  }

  open(): void {
    this.#scopes.push(new Set());
  }

  close(): void {
    for (const name of this.#scopes.pop()!) {
      const count = this.#counts.get(name)! - 1;
      if (count > 0) this.#counts.set(name, count);
      else {
        this.#counts.delete(name);
        this.#recordChange(name);
      }
    }
  }

  /** The names that are visible now. */
  now(): KnownNames {
    const step = this.#step;
    return { step, visibleUntil: (name) => endOfVisibility(this.#changes.get(name) ?? [], step) };
  }

  /** The names that the outermost scope has set at the end of the template. */
  topAtEnd(): KnownNames {
    const step = this.#step;
    return { step, visibleUntil: (name) => (this.topHas(name) ? step : undefined) };
  }

  #recordChange(name: string): void {
    this.#step += 1;
    const changes = this.#changes.get(name);
    if (changes === undefined) this.#changes.set(name, [this.#step]);
    else changes.push(this.#step);
  }
}

function endOfVisibility(changes: readonly number[], step: number): number | undefined {
  const passed = lowerBound(changes.length, (index) => changes[index]! > step);
  if (passed % 2 === 0) return undefined;
  return changes[passed] ?? Number.POSITIVE_INFINITY;
}

/** The first index for which the test is true, or `length`. Later indexes must pass the test as well. */
export function lowerBound(length: number, test: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
