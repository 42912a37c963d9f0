/** Reports progress of a planning run. */
export type ReportProgress = (done: number, total: number, message: string) => void;

/** Limits the number of progress reports per planning run. */
const maxReports = 100;

/** Reports the progress of one planning run: first the answers of the model, then the planned events. */
export class PlanProgress {
  readonly #events: number;
  readonly #asked: number;
  readonly #policy: string | undefined;
  readonly #report: ReportProgress;
  #planned = 0;

  constructor(events: number, policy: string | undefined, report: ReportProgress) {
    this.#events = events;
    this.#asked = policy === undefined ? 0 : events;
    this.#policy = policy;
    this.#report = report;
    if (this.#asked > 0) this.#emit(0, `asking ${policy} about ${countEvents(events)}`);
  }

  answered(count: number): void {
    this.#emit(count, `${this.#policy} answered about ${count} of ${countEvents(this.#events)}`);
  }

  planned(how: string): void {
    this.#planned += 1;
    this.#emit(this.#asked + this.#planned, `${this.#planned} of ${countEvents(this.#events)} ${how}`);
  }

  #emit(done: number, message: string): void {
    const total = this.#asked + this.#events;
    if (done % Math.ceil(total / maxReports) === 0 || done === total) this.#report(done, total, message);
  }
}

function countEvents(events: number): string {
  return `${events} event${events === 1 ? '' : 's'}`;
}
