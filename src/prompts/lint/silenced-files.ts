import type { Problem } from '../../feature.ts';
import { readRegularFile } from '../../regular-file.ts';
import { withoutSilenced, withRules } from './rules.ts';

export { withoutSilenced } from './rules.ts';

/** The content of a file, or `undefined` if it cannot be read. */
export function readIfRegular(file: string): Promise<string | undefined> {
  return readRegularFile(file).catch(() => undefined);
}

/** Adds the rules of problems in files, and removes those that the settings or the files silence. */
export async function audibleProblems(
  problems: readonly Problem[],
  silenced: ReadonlySet<string>,
): Promise<readonly Problem[]> {
  return withoutSilenced(await withRules(problems), silenced, readIfRegular);
}
