import { Pace } from '../../awaitable.ts';
import type { Problem } from '../../feature.ts';
import { readRegularFile } from '../../regular-file.ts';
import { withoutSilenced, withRules } from './rules.ts';

export { withoutSilenced } from './rules.ts';

/** Problems that get their rules without a pause. */
const sliceLength = 500;

/** The content of a file, or `undefined` if it cannot be read. */
export function readIfRegular(file: string): Promise<string | undefined> {
  return readRegularFile(file).catch(() => undefined);
}

/** Adds the rules of problems in files, and removes those that the settings or the files silence. */
export async function audibleProblems(
  problems: readonly Problem[],
  silenced: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  const found: Problem[] = [];
  const pace = new Pace();
  for (let from = 0; from < problems.length; from += sliceLength) {
    found.push(...withRules(problems.slice(from, from + sliceLength)));
    await pace.pause;
  }
  return withoutSilenced(found, silenced, readIfRegular);
}
