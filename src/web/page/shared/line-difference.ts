import { diffArrays } from 'diff';

interface Line {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Comparing takes quadratic time in the number of changed lines. Above this limit, the whole old text is followed by the whole new text. */
const maxChangedLines = 1000;

/** Every line of both texts in reading order: unchanged, removed or added. */
export function lineDifference(before: string, after: string): readonly Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(a, b, { maxEditLength: maxChangedLines });
  if (parts === undefined) return [...lines('removed', a), ...lines('added', b)];
  return parts.flatMap(({ added, removed, value }) =>
    lines(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

function lines(kind: Line['kind'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ kind, text }));
}
