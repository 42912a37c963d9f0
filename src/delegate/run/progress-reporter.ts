import type { Context } from '../../context.ts';
import type { AgentEvent } from '../agents/agent.ts';
import { RunProgress } from './run-progress.ts';

const throttleMs = 1_000;
const heartbeatMs = 10_000;

/** Sends log and progress notifications for a run: at most one per second, and at least one every ten seconds. */
export class ProgressReporter {
  readonly #context: Pick<Context, 'log' | 'progress'>;
  readonly #name: string;
  readonly #progress = new RunProgress();
  readonly #startedAt = performance.now();
  readonly #heartbeat: NodeJS.Timeout;
  #lastReportAt = 0;
  #count = 0;
  /** The message that the agent writes at the moment. */
  #message: string | undefined;
  #isWaiting = false;
  #isMuted = false;
  #pendingReport: NodeJS.Timeout | undefined;

  constructor(context: Pick<Context, 'log' | 'progress'>, tool: string, label: string) {
    this.#context = context;
    this.#name = `${tool}/${label}`;
    this.#log('started');
    this.#heartbeat = setInterval(() => {
      if (performance.now() - this.#lastReportAt >= heartbeatMs) this.#report();
    }, throttleMs);
    this.#heartbeat.unref();
  }

  /** A reporter for one job of the run. It logs under its own name and shares this reporter's progress counter. */
  forJob(label: string, title: string): ProgressReporter {
    return new ProgressReporter(
      {
        log: (...entry) => {
          if (!this.#isMuted) this.#context.log(...entry);
        },
        progress: (_, __, message) => this.#sendProgress(`${title}: ${message}`),
      },
      this.#name,
      label,
    );
  }

  /** Stops all notifications, because the call has been answered. */
  mute(): void {
    this.#isMuted = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#pendingReport);
  }

  state(state: 'waiting' | 'running'): void {
    this.#isWaiting = state === 'waiting';
    this.#report();
  }

  event(event: AgentEvent): void {
    this.#progress.apply(event);
    // The first words of a message are worth a notification of their own.
    if (event.kind === 'delta' && event.of === 'message' && event.id !== this.#message) {
      this.#message = event.id;
      this.#sendProgress(this.#progress.describe());
    }
    const delay = throttleMs - (performance.now() - this.#lastReportAt);
    if (delay <= 0) this.#report();
    else this.#pendingReport ??= setTimeout(() => this.#report(), delay).unref();
  }

  finished(status: string): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#pendingReport);
    this.#log(`finished (${status} ${this.#counters()})`);
    this.#sendProgress(status);
  }

  #report(): void {
    clearTimeout(this.#pendingReport);
    this.#pendingReport = undefined;
    this.#log(this.#isWaiting ? `waiting (${this.#counters()})` : `running (${this.#counters()})`);
    this.#sendProgress(this.#isWaiting ? 'waiting for other runs to finish' : this.#progress.describe());
  }

  #counters(): string {
    const { turns, itemsStarted, itemsCompleted, last } = this.#progress;
    const elapsed = Math.round(performance.now() - this.#startedAt);
    return `elapsed=${elapsed}ms turns_started=${turns} items_started=${itemsStarted} items_completed=${itemsCompleted} last=${last}`;
  }

  #log(message: string): void {
    this.#lastReportAt = performance.now();
    if (this.#isMuted) return;
    this.#context.log('info', `${this.#name}: ${message}`);
  }

  #sendProgress(message: string): void {
    if (!this.#isMuted) this.#context.progress(++this.#count, undefined, message);
  }
}
