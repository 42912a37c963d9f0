import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { bundle } from '../program.ts';

const keptOutput = 20_000;
/** A process that was asked to end must have ended after this time, even on a busy machine. */
const maxStopMs = 20_000;

export interface ServiceOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly nodeFlags?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly report: (problem: string) => void;
}

/** A busy machine takes several seconds to start a process. */
const settledMs = 20_000;
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** A process of the program that is started again after it was killed. Reports when it ends by itself. */
export class ServiceProcess {
  readonly name: string;
  /** The last part of the output on stderr. */
  log = '';
  maxResidentMb = 0;
  readonly #options: ServiceOptions;
  #child: ChildProcess | undefined;
  #isStopping = false;
  #startMs = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.name = options.name;
  }

  get child(): ChildProcess | undefined {
    return this.#child;
  }

  /** Whether the process has had time to load what it needs to run at all. */
  get isSettled(): boolean {
    return this.#child !== undefined && performance.now() - this.#startMs > settledMs;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): ChildProcess {
    const { args, nodeFlags = [], cwd, env, report } = this.#options;
    const child = spawn(process.execPath, [...nodeFlags, bundle, ...args], { cwd, env });
    children.add(child);
    this.#child = child;
    this.#startMs = performance.now();
    this.#isStopping = false;
    child.stdin.on('error', () => {});
    child.stderr.on('data', (chunk: Buffer) => {
      this.log = (this.log + chunk).slice(-keptOutput);
    });
    child.once('exit', (code, signal) => {
      children.delete(child);
      if (this.#child === child) this.#child = undefined;
      if (!this.#isStopping)
        report(`${this.name} ended by itself with ${signal ?? `code ${code}`}: ${this.log.slice(-2_000)}`);
    });
    return child;
  }

  /** Sends a signal and waits for the end of the process. */
  async stop(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isStopping = true;
    const ended = once(child, 'exit');
    child.kill(signal);
    if (await Promise.race([ended, pause(maxStopMs, undefined, { ref: false })])) return;
    this.#options.report(
      `${this.name} did not end within ${maxStopMs / 1000} s of ${signal}: ${this.log.slice(-2_000)}`,
    );
    child.kill('SIGKILL');
    await ended;
  }

  measureMemory(): void {
    this.maxResidentMb = Math.max(this.maxResidentMb, residentMb(this.pid));
  }

  /** The heap after garbage collection. Needs the flags of `heapFlags`. */
  async heapMb(): Promise<number> {
    const before = this.log.match(/heap \d+ resident/g)?.length ?? 0;
    this.#child?.kill('SIGUSR2');
    for (let waits = 0; waits < 300; waits++) {
      const found = [...this.log.matchAll(/heap (\d+) resident/g)];
      if (found.length > before) return Number(found.at(-1)![1]) / 1_000_000;
      await pause(100);
    }
    return Number.NaN;
  }
}

function residentMb(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}
