/** Says how far a planning is: so much done of so much, and what that was. */
export type Tell = (done: number, total: number, message: string) => void;

/** More words than this say nothing more. */
const mostWords = 100;

/** Tells of the events of one planning: first of those a model was asked about, then of those that are planned. */
export class PlanProgress {
  readonly #events: number;
  readonly #asked: number;
  readonly #policy: string | undefined;
  readonly #tell: Tell;
  #planned = 0;

  constructor(events: number, policy: string | undefined, tell: Tell) {
    this.#events = events;
    this.#asked = policy === undefined ? 0 : events;
    this.#policy = policy;
    this.#tell = tell;
    if (this.#asked > 0) this.#say(0, `asking ${policy} about ${counted(events)}`);
  }

  answered(count: number): void {
    this.#say(count, `${this.#policy} answered about ${count} of ${counted(this.#events)}`);
  }

  planned(how: string): void {
    this.#planned += 1;
    this.#say(this.#asked + this.#planned, `${this.#planned} of ${counted(this.#events)} ${how}`);
  }

  #say(done: number, message: string): void {
    const total = this.#asked + this.#events;
    if (done % Math.ceil(total / mostWords) === 0 || done === total) this.#tell(done, total, message);
  }
}

function counted(events: number): string {
  return `${events} event${events === 1 ? '' : 's'}`;
}
