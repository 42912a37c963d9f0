import type { Worker } from 'node:worker_threads';

/** The work needs more time or memory than a thread may use. */
export class ThreadLimit extends Error {
  /** Such as `30 s`. */
  readonly limit: string;
  constructor(limit: string) {
    super(`it needs more than ${limit}`);
    this.limit = limit;
  }
}

/** What the program of a thread answers: the result of the task, or why it failed. */
export type ThreadAnswer =
  | { readonly value: unknown }
  /** A large result: parsing JSON blocks the main thread for about half as long as receiving a copy of the objects. */
  | { readonly json: string }
  | { readonly error: { readonly message: string; readonly line?: number; readonly column?: number } };

export interface ThreadProgram {
  /** Given to the program as `workerData`, so that it knows that it runs in one of these threads. */
  readonly name: string;
  readonly file: () => string;
  readonly maxThreads: number;
  readonly maxMegabytes: number;
}

export interface ThreadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** An idle thread is kept for this long, because more work often follows. */
const idleMs = 3_000;

/** Runs tasks in a few threads, so that other requests are answered meanwhile and the work can be ended. Tasks wait in order. */
export class WorkThreads {
  readonly #program: ThreadProgram;
  readonly #idle: Worker[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(program: ThreadProgram) {
    this.#program = program;
  }

  /** Throws `ThreadLimit` if the task reaches a limit, and other errors if no thread can be started. */
  async run(
    task: string,
    input: unknown,
    options: ThreadOptions,
  ): Promise<Exclude<ThreadAnswer, { readonly json: string }>> {
    const worker = await this.#take();
    let answer: ThreadAnswer | undefined;
    try {
      answer = await answerOf(worker, { task, input }, options);
      return 'json' in answer ? { value: JSON.parse(answer.json) } : answer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
        throw new ThreadLimit(`${this.#program.maxMegabytes} MB of memory`);
      throw error;
    } finally {
      if (answer === undefined) await worker.terminate();
      this.#release(answer && worker);
    }
  }

  async #take(): Promise<Worker> {
    while (this.#busy >= this.#program.maxThreads)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#busy++;
    const known = this.#idle.pop();
    if (known !== undefined) {
      known.ref();
      return known;
    }
    try {
      const { Worker } = await import('node:worker_threads');
      const { name, file, maxMegabytes } = this.#program;
      const worker = new Worker(file(), {
        resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
        workerData: name,
        stdin: true,
        execArgv: [],
      });
      worker.once('exit', () => this.#forget(worker));
      // Without a listener, an error of an idle thread would end the server.
      worker.on('error', () => this.#forget(worker));
      return worker;
    } catch (error) {
      this.#release(undefined);
      throw error;
    }
  }

  /** Lets the next task start. `worker` can do another one. */
  #release(worker: Worker | undefined): void {
    this.#busy--;
    this.#waiting.shift()?.();
    if (worker === undefined) return;
    // An idle thread does not keep the process running.
    worker.unref();
    this.#idle.push(worker);
    setTimeout(() => {
      if (this.#forget(worker)) void worker.terminate();
    }, idleMs).unref();
  }

  /** Removes a thread from the idle ones. Returns whether it was one. */
  #forget(worker: Worker): boolean {
    const at = this.#idle.indexOf(worker);
    if (at >= 0) this.#idle.splice(at, 1);
    return at >= 0;
  }
}

function answerOf(
  worker: Worker,
  message: object,
  { signal, timeoutMs }: ThreadOptions,
): Promise<ThreadAnswer> {
  return new Promise((resolve, reject) => {
    const answered = (answer: ThreadAnswer) => end(() => resolve(answer));
    const failed = (error: unknown) => end(() => reject(error));
    const exited = (code: number) => failed(new Error(`the thread exited with code ${code}`));
    const aborted = () => failed(signal!.reason);
    const timer = setTimeout(() => failed(new ThreadLimit(`${timeoutMs / 1000} s`)), timeoutMs);
    const end = (settle: () => void) => {
      clearTimeout(timer);
      worker.off('message', answered).off('error', failed).off('exit', exited);
      signal?.removeEventListener('abort', aborted);
      settle();
    };
    worker.on('message', answered).on('error', failed).on('exit', exited);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
    else worker.postMessage(message);
  });
}
