import type { Context } from '../../context.ts';
import type { AgentEvent } from '../agents/agent.ts';
import { RunProgress } from '../record/run-progress.ts';

const throttleMs = 1_000;
const heartbeatMs = 10_000;

/** Keeps the client informed while a run goes on: not too often, and not too rarely. */
export class ProgressReporter {
  readonly #context: Pick<Context, 'log' | 'progress'>;
  readonly #name: string;
  readonly #progress = new RunProgress();
  readonly #startedAt = performance.now();
  readonly #heartbeat: NodeJS.Timeout;
  #told = 0;
  #count = 0;
  #waiting = false;
  #muted = false;
  #later: NodeJS.Timeout | undefined;

  constructor(context: Pick<Context, 'log' | 'progress'>, tool: string, label: string) {
    this.#context = context;
    this.#name = `${tool}/${label}`;
    this.#say('started');
    this.#heartbeat = setInterval(() => {
      if (performance.now() - this.#told >= heartbeatMs) this.#report();
    }, throttleMs);
    this.#heartbeat.unref();
  }

  /** One who speaks for a part of the run under a name of its own; all progress counts as one. */
  part(label: string, title: string): ProgressReporter {
    return new ProgressReporter(
      {
        log: (...told) => {
          if (!this.#muted) this.#context.log(...told);
        },
        progress: (_, __, message) => this.#step(`${title}: ${message}`),
      },
      this.#name,
      label,
    );
  }

  /** The call is answered, so its client is told no more. */
  mute(): void {
    this.#muted = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#later);
  }

  state(state: 'waiting' | 'running'): void {
    this.#waiting = state === 'waiting';
    this.#report();
  }

  event(event: AgentEvent): void {
    this.#progress.apply(event);
    const pause = throttleMs - (performance.now() - this.#told);
    if (pause <= 0) this.#report();
    else this.#later ??= setTimeout(() => this.#report(), pause).unref();
  }

  finished(status: string): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#later);
    this.#say(`finished (${status} ${this.#figures()})`);
    this.#step(status);
  }

  #report(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#say(this.#waiting ? `waiting (${this.#figures()})` : `running (${this.#figures()})`);
    this.#step(this.#waiting ? 'waiting for a free place' : this.#progress.describe());
  }

  #figures(): string {
    const { turns, itemsStarted, itemsCompleted, last } = this.#progress;
    const elapsed = Math.round(performance.now() - this.#startedAt);
    return `elapsed=${elapsed}ms turns_started=${turns} items_started=${itemsStarted} items_completed=${itemsCompleted} last=${last}`;
  }

  #say(what: string): void {
    this.#told = performance.now();
    if (this.#muted) return;
    this.#context.log('info', `${this.#name}: ${what}`);
  }

  #step(message: string): void {
    if (!this.#muted) this.#context.progress(++this.#count, undefined, message);
  }
}
