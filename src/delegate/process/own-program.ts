import { existsSync } from 'node:fs';
import { join } from 'node:path';

const launcher = join(import.meta.dirname, 'adjutant.cjs');
const cacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/adjutant');
/** Keeps the JavaScript of the source files. Without it, every run host would convert all of them, which takes half a second. */
const preload = `import { enableCompileCache } from 'node:module'; enableCompileCache(${JSON.stringify(cacheFolder)});`;

/**
 * The program for run hosts. A server that runs from source starts them from source as well: a built run host of another version
 * would hide what a change of the source does.
 */
const program = existsSync(launcher)
  ? [launcher]
  : [
      '--import',
      `data:text/javascript,${encodeURIComponent(preload)}`,
      join(import.meta.dirname, '..', 'run-host.ts'),
    ];

/** The command line that starts this program again, as a run host or as the server of the tool `finish_run`. */
export function ownProgram(...args: readonly string[]): {
  readonly command: string;
  readonly args: readonly string[];
} {
  return { command: process.execPath, args: [...program, ...args] };
}
