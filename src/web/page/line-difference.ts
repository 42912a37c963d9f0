export interface Line {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** So many pairs of lines are compared; of longer texts everything between what they share went and came. */
const mostPairs = 4_000_000;

/** Lines that stayed, went and came, by the longest common sequence of the two texts. */
export function lineDifference(before: string, after: string): readonly Line[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [gone, come] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return [
    ...all('same', a.slice(0, start)),
    ...(gone.length * come.length > mostPairs
      ? [...all('removed', gone), ...all('added', come)]
      : middle(gone, come)),
    ...all('same', a.slice(a.length - end)),
  ];
}

function all(kind: Line['kind'], texts: readonly string[]): readonly Line[] {
  return texts.map((text) => ({ kind, text }));
}

function middle(a: readonly string[], b: readonly string[]): readonly Line[] {
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i]![j] =
        a[i] === b[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i++]! });
      j++;
    } else if (j >= b.length || (i < a.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ kind: 'removed', text: a[i++]! });
    else lines.push({ kind: 'added', text: b[j++]! });
  }
  return lines;
}
