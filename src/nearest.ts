/** A longer name is not a spelling mistake, and comparing two long names takes too long. */
const maxLength = 100;

/**
 * Finds the candidate most similar to a misspelled name, or `undefined` if none is similar: a suggestion that is not meant
 * misleads more than none. `most` is the number of letters that may be wrong. Two letters in the wrong order count as one.
 */
export function nearest(
  written: string,
  candidates: Iterable<string>,
  most = written.length < 3 ? 0 : written.length < 8 ? 1 : Math.floor(written.length / 3),
): string | undefined {
  if (written.length > maxLength) return undefined;
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference in length.
    if (Math.abs(candidate.length - written.length) >= least) continue;
    const distance = editDistance(written, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? beforeLast[j - 2]! + 1 : substituted;
      current.push(Math.min(substituted, swapped, previous[j]! + 1, current[j - 1]! + 1));
    }
    [beforeLast, previous] = [previous, current];
  }
  return previous[b.length]!;
}
