import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FileProblem } from '../../front-matter.ts';
import { type ThreadOptions as Options, WorkThreads } from '../../threads/work-threads.ts';

/** Shorter texts take only milliseconds, less than a thread. */
export const longText = 32 * 1024;

/** Set by the program of the thread, which does all work itself. */
export const thread = { isCurrent: false };

/** Several short texts also count as long if their total length exceeds this. */
const longTexts = 8 * longText;

/** Whether texts are so long that hostile ones would keep the server busy, so that a thread must process them. */
export function areLong(texts: Iterable<string>): boolean {
  if (thread.isCurrent) return false;
  let sum = 0;
  for (const { length } of texts) {
    sum += length;
    if (length > longText || sum > longTexts) return true;
  }
  return false;
}

/** How long a thread may work on a file of the library. Requests for its prompts wait meanwhile. */
const defaultTimeoutMs = 10_000;

export type ThreadOptions = Partial<Options>;

/** Tells the program that it runs in one of these threads. */
export const threadProgram = 'file-work';

const threads = new WorkThreads({ name: threadProgram, file: programFile, maxThreads: 3, maxMegabytes: 512 });

/** Runs a task of `tools/file-work.ts` in a thread. Throws `ThreadLimit` if it reaches a limit. */
export async function runInThread(
  task: string,
  input: unknown,
  options: ThreadOptions = {},
): Promise<unknown> {
  const answer = await threads.run(task, input, { timeoutMs: defaultTimeoutMs, ...options });
  if ('value' in answer) return answer.value;
  const { message, line, column } = answer.error;
  throw line === undefined ? new Error(message) : new FileProblem(message, line, column);
}

/** The built file beside the bundle, or the module when running from source. */
function programFile(): string {
  const built = join(import.meta.dirname, 'file-work.cjs');
  return existsSync(built) ? built : join(import.meta.dirname, '..', 'tools', 'file-work.ts');
}
