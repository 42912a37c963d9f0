import { Failure } from '../../failure.ts';
import { ThreadLimit } from '../../threads/work-threads.ts';
import type { Reading } from '../definition/definition.ts';
import { runInThread, type ThreadOptions } from '../files/work-thread.ts';
import type { TextFile } from '../formats/format.ts';
import { formatNamed } from '../formats/formats.ts';
import type { FileLint } from '../lint/lint-files.ts';

const timeoutMs = 30_000;
/** Files with at most this many characters in total are read without a thread. Parsing longer front matter can take longer than starting one. */
const shortFiles = 8 * 1024;

/** Lints files that a client sent. Long files are linted in a thread, so that other requests are answered meanwhile. */
export function lintGiven(
  files: readonly TextFile[],
  format: string | undefined,
  silenced: ReadonlySet<string>,
  options?: ThreadOptions,
): Promise<FileLint> {
  return run('lint', { files, format, silenced }, options) as Promise<FileLint>;
}

/** Reads the prompts in files that a client sent, in a thread if they are long. */
export function readGiven(
  files: readonly TextFile[],
  format: string,
  options?: ThreadOptions,
): Promise<Reading> {
  return run('read', { files, format }, options) as Promise<Reading>;
}

interface GivenFiles {
  readonly files: readonly TextFile[];
  readonly format: string | undefined;
  readonly silenced?: ReadonlySet<string>;
}

async function run(task: 'lint' | 'read', given: GivenFiles, options: ThreadOptions = {}): Promise<unknown> {
  // Throws a Failure with a suggestion for an unknown format. Errors of the thread lose their class.
  if (given.format !== undefined) await formatNamed(given.format);
  const length = given.files.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= shortFiles) {
    const { tasks } = await import('./file-work.ts');
    return tasks[task](given as never);
  }
  try {
    return await runInThread(task, given, { timeoutMs, ...options });
  } catch (error) {
    if (!(error instanceof ThreadLimit)) throw error;
    throw new Failure(
      'invalid-params',
      `The files could not be read: they need more than ${error.limit}. Send fewer or shorter files.`,
    );
  }
}
