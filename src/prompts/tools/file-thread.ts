import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { Failure } from '../../failure.ts';
import { messageOf } from '../../json.ts';
import type { Reading } from '../definition/definition.ts';
import type { TextFile } from '../formats/format.ts';
import type { FileLint } from '../lint/lint-files.ts';
import type { FileWork } from './file-work.ts';

/** Shorter files take only milliseconds, less than starting a thread. */
const shortLength = 32 * 1024;
const timeoutMs = 30_000;
const maxMegabytes = 512;

interface ThreadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Lints files that a client sent. Long files are linted in a thread, so that other requests are answered meanwhile. */
export function lintGiven(
  files: readonly TextFile[],
  format: string | undefined,
  silenced: ReadonlySet<string>,
  options?: ThreadOptions,
): Promise<FileLint> {
  return run({ task: 'lint', files, format, silenced }, options) as Promise<FileLint>;
}

/** Reads the prompts in files that a client sent, in a thread if they are long. */
export function readGiven(
  files: readonly TextFile[],
  format: string,
  options?: ThreadOptions,
): Promise<Reading> {
  return run({ task: 'read', files, format }, options) as Promise<Reading>;
}

async function run(work: FileWork, options: ThreadOptions = {}): Promise<unknown> {
  if (work.format !== undefined) {
    // Throws a Failure with a suggestion for an unknown format. Errors of the thread lose their class.
    const { formatNamed } = await import('../formats/formats.ts');
    formatNamed(work.format);
  }
  const length = work.files.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= shortLength) return (await import('./file-work.ts')).workOnFiles(work);
  return runThread(work, options);
}

async function runThread(work: FileWork, { signal, timeoutMs: limitMs = timeoutMs }: ThreadOptions) {
  const threads = await import('node:worker_threads');
  signal?.throwIfAborted();
  const thread = new threads.Worker(programFile(), {
    workerData: work,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
    stdin: true,
    execArgv: [],
  });
  thread.unref();
  const timeout = AbortSignal.timeout(limitMs);
  const ended = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  try {
    return await answerOf(thread, ended);
  } catch (error) {
    signal?.throwIfAborted();
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    if (timeout.aborted || isTooLarge)
      throw new Failure(
        'invalid-params',
        `The files could not be read: they need more than ${isTooLarge ? `${maxMegabytes} MB of memory` : `${limitMs / 1000} s`}. Send fewer or shorter files.`,
      );
    throw new Error(`the thread that reads files failed: ${messageOf(error)}`, { cause: error });
  } finally {
    await thread.terminate();
  }
}

function answerOf(thread: Worker, ended: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', (code) => reject(new Error(`it exited with code ${code}`)));
    ended.addEventListener('abort', () => reject(ended.reason), { once: true });
  });
}

/** The built file beside the bundle, or the module when running from source. */
function programFile(): string {
  const built = join(import.meta.dirname, 'file-work.cjs');
  return existsSync(built) ? built : join(import.meta.dirname, 'file-work.ts');
}
