export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'note';
  readonly text: string;
  /** Line numbers before and after the change. Absent on the side that does not have the line. */
  readonly before?: number;
  readonly after?: number;
}

/** A part of a line of code, and what it is. */
export interface CodePart {
  readonly kind: 'word' | 'text' | 'name' | 'note' | undefined;
  readonly text: string;
}

export function countLines(lines: readonly DiffLine[]) {
  const count = (wanted: DiffLine['kind']) => lines.filter(({ kind }) => kind === wanted).length;
  return { added: count('added'), removed: count('removed') };
}
