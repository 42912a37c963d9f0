/** Ranges of Markdown code: fenced blocks and inline code. Placeholders in them are usually part of an example. */
export class CodeRanges {
  /** Sorted, without overlaps. */
  readonly #ranges: readonly (readonly [from: number, to: number])[];

  constructor(text: string) {
    const rangesOf = (pattern: RegExp) =>
      [...text.matchAll(pattern)].map((match) => [match.index, match.index + match[0].length] as const);
    const fenced = rangesOf(/^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)??(?: {0,3}\1[^\n]*$|(?![\s\S]))/gm);
    const inline = rangesOf(/(?<!`)(`{1,2})(?!`)[^`\n]{1,2000}\1(?!`)/g);
    const outside = inline.filter(([from]) => !contains(fenced, from));
    this.#ranges = [...fenced, ...outside].sort(([one], [other]) => one - other);
  }

  includes(index: number): boolean {
    return contains(this.#ranges, index);
  }
}

/** Searches in halves: a hostile text has very many ranges. */
function contains(ranges: readonly (readonly [number, number])[], index: number): boolean {
  let low = 0;
  let high = ranges.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ranges[middle]![0] <= index) low = middle;
    else high = middle - 1;
  }
  const range = ranges[low];
  return range !== undefined && index >= range[0] && index < range[1];
}
