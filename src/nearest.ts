/** A longer name is not a spelling mistake, and comparing two long names takes too long. */
const maxLength = 100;

/** Finds the candidate most similar to a misspelled name, or `undefined` if none is similar. */
export function nearest(written: string, candidates: Iterable<string>): string | undefined {
  if (written.length > maxLength) return undefined;
  let best: string | undefined;
  let least = Math.max(2, Math.floor(written.length / 3)) + 1;
  for (const candidate of candidates) {
    // The distance is at least the difference in length.
    if (Math.abs(candidate.length - written.length) >= least) continue;
    const distance = editDistance(written, candidate);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, previous[j]! + 1, current[j - 1]! + 1));
    }
    previous = current;
  }
  return previous[b.length]!;
}
