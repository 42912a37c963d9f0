/** A part of the calendar that could not be imported as written. The rest is not affected. */
export interface CalendarProblem {
  readonly severity: 'error' | 'warning';
  readonly document?: string;
  readonly line: number;
  readonly uid?: string;
  readonly message: string;
}

/** Nobody reads more warnings than this, and a hostile calendar can cause millions. */
const maxWarnings = 5_000;

/** Collects problems. Keeps every error: an event that could not be read must not count as deleted. */
export class CalendarProblems {
  readonly #list: CalendarProblem[] = [];
  #warnings = 0;

  add(problem: CalendarProblem): void {
    if (problem.severity === 'warning' && ++this.#warnings > maxWarnings) return;
    this.#list.push(problem);
  }

  /** All problems. The last one says how many warnings are not listed. */
  get all(): readonly CalendarProblem[] {
    const more = this.#warnings - maxWarnings;
    if (more <= 0) return this.#list;
    return [
      ...this.#list,
      { severity: 'warning', line: 0, message: `${more} more warnings are not listed.` },
    ];
  }
}
