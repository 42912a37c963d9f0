import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../failure.ts';

/** The launcher beside this program, or the built one if this program runs from its source. */
const launcher = ['.', '../../../dist']
  .map((folder) => join(import.meta.dirname, folder, 'adjutant.cjs'))
  .find(existsSync);

/** The command line that starts this program again. */
export function ownProgram(...args: readonly string[]): {
  readonly command: string;
  readonly args: readonly string[];
} {
  if (launcher === undefined) throw new Failure('unavailable', 'Run "npm run build" first.');
  return { command: process.execPath, args: [launcher, ...args] };
}
