// Import this file lazily: the package is needed only for comparisons.
import { createTwoFilesPatch } from 'diff';

/** A unified diff of two texts. */
export function textDifference(oldName: string, newName: string, before: string, after: string): string {
  return createTwoFilesPatch(oldName, newName, `${before}\n`, `${after}\n`, undefined, undefined, {
    context: 3,
  });
}
