import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { FileProblem } from './front-matter.ts';

/** Shorter texts take only milliseconds, less than a thread. */
export const longText = 32 * 1024;

/** Set by the program of the thread, which does all work itself. */
export const thread = { isCurrent: false };

/** Several short texts count as long if they are longer than this together. */
const longTexts = 8 * longText;

/** Whether texts are so long that hostile ones would keep the server busy. They belong into a thread. */
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
const maxMegabytes = 512;
const maxThreads = 3;
/** An idle thread is kept for this long, because a folder often has several long files. */
const idleMs = 3_000;

export interface ThreadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** Tells the program that it runs in one of these threads. */
export const threadProgram = 'file-work';

/** The work needs more time or memory than a thread may use. */
export class ThreadLimit extends Error {
  /** Such as `30 s`. */
  readonly limit: string;
  constructor(limit: string) {
    super(`it needs more than ${limit}`);
    this.limit = limit;
  }
}

/** What the thread answers: the result of the task, or why it failed. */
export type ThreadAnswer =
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly line?: number; readonly column?: number } };

const idle: Worker[] = [];
const waiting: (() => void)[] = [];
let started = 0;

/** Runs a task of `tools/file-work.ts` in a thread, so that other requests are answered meanwhile and the work can be ended. */
export async function runInThread(
  task: string,
  input: unknown,
  options: ThreadOptions = {},
): Promise<unknown> {
  const { signal, timeoutMs = defaultTimeoutMs } = options;
  const worker = await takeThread();
  const timeout = AbortSignal.timeout(timeoutMs);
  let answer: ThreadAnswer | undefined;
  try {
    answer = await answerOf(worker, { task, input }, signal ? AbortSignal.any([signal, timeout]) : timeout);
  } catch (error) {
    signal?.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw new ThreadLimit(`${maxMegabytes} MB of memory`);
    if (timeout.aborted) throw new ThreadLimit(`${timeoutMs / 1000} s`);
    throw error;
  } finally {
    if (answer === undefined) await worker.terminate();
    release(answer && worker);
  }
  if ('value' in answer) return answer.value;
  const { message, line, column } = answer.error;
  throw line === undefined ? new Error(message) : new FileProblem(message, line, column);
}

async function takeThread(): Promise<Worker> {
  while (started >= maxThreads) await new Promise<void>((resolve) => waiting.push(resolve));
  started++;
  const known = idle.pop();
  if (known !== undefined) return known;
  try {
    const { Worker } = await import('node:worker_threads');
    const worker = new Worker(programFile(), {
      resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
      workerData: threadProgram,
      stdin: true,
      execArgv: [],
    });
    worker.unref();
    worker.once('exit', () => forget(worker));
    // Without a listener, an error of an idle thread would end the server.
    worker.on('error', () => forget(worker));
    return worker;
  } catch (error) {
    release(undefined);
    throw error;
  }
}

/** Lets the next task start. `worker` can do another one. */
function release(worker: Worker | undefined): void {
  started--;
  waiting.shift()?.();
  if (worker === undefined) return;
  idle.push(worker);
  setTimeout(() => {
    if (forget(worker)) void worker.terminate();
  }, idleMs).unref();
}

/** Removes a thread from the idle ones. Returns whether it was one. */
function forget(worker: Worker): boolean {
  const at = idle.indexOf(worker);
  if (at >= 0) idle.splice(at, 1);
  return at >= 0;
}

async function answerOf(worker: Worker, message: object, ended: AbortSignal): Promise<ThreadAnswer> {
  const answered = new AbortController();
  const signal = AbortSignal.any([ended, answered.signal]);
  worker.postMessage(message);
  const exit = once(worker, 'exit', { signal }).then(([code]) => {
    throw new Error(`the thread that reads files exited with code ${code}`);
  });
  try {
    const [answer] = await Promise.race([once(worker, 'message', { signal }), exit]);
    return answer as ThreadAnswer;
  } finally {
    answered.abort();
  }
}

/** The built file beside the bundle, or the module when running from source. */
function programFile(): string {
  const built = join(import.meta.dirname, 'file-work.cjs');
  return existsSync(built) ? built : join(import.meta.dirname, '..', 'tools', 'file-work.ts');
}
