import { diffArrays } from 'diff';
import type { DiffLine } from './diff-line.ts';

/** Comparing takes quadratic time in the number of changed lines. Above this limit, the whole old text is followed by the whole new text. */
const maxChangedLines = 1000;

/** Every line of both texts in reading order: unchanged, removed or added. */
export function lineDifference(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(a, b, { maxEditLength: maxChangedLines }) ?? [
    { removed: true, added: false, value: a },
    { removed: false, added: true, value: b },
  ];
  let [old, now] = [0, 0];
  return parts.flatMap(({ added, removed, value }) =>
    value.map(
      (text): DiffLine => ({
        kind: added ? 'added' : removed ? 'removed' : 'same',
        text,
        ...(!added && { before: ++old }),
        ...(!removed && { after: ++now }),
      }),
    ),
  );
}
