/** Ranges of Markdown code: fenced blocks and inline code. Braces in them are usually part of an example. */
export class CodeRanges {
  readonly #ranges: readonly (readonly [from: number, to: number])[];

  constructor(text: string) {
    const ranges: [number, number][] = [];
    for (const match of text.matchAll(
      /^ {0,3}(`{3,}|~{3,})[^\n]*\n(?:[\s\S]*?\n)??(?: {0,3}\1[^\n]*$|(?![\s\S]))/gm,
    ))
      ranges.push([match.index, match.index + match[0].length]);
    const isFenced = (index: number) => ranges.some(([from, to]) => index >= from && index < to);
    const inline = [...text.matchAll(/(?<!`)(`{1,2})(?!`)[^`\n]{1,2000}\1(?!`)/g)]
      .filter(({ index }) => !isFenced(index))
      .map((match): [number, number] => [match.index, match.index + match[0].length]);
    this.#ranges = [...ranges, ...inline];
  }

  includes(index: number): boolean {
    return this.#ranges.some(([from, to]) => index >= from && index < to);
  }
}
