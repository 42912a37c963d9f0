export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  /** At least `from` and less than `to`. */
  between(from: number, to: number): number;
  pick<Item>(items: readonly Item[]): Item;
}

/** The generator mulberry32. The same seed gives the same numbers. */
export function randomNumbers(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    pick: (items) => items[Math.floor(next() * items.length)]!,
  };
}
