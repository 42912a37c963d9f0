import { Pace } from '../../awaitable.ts';
import type { Problem } from '../../feature.ts';
import { log } from '../../log.ts';

/** Limits how many problems one update logs. */
const maxLines = 50;

/** Logs each problem once. A problem that was fixed and comes back is logged again. */
export class ProblemLog {
  #logged: ReadonlySet<string> = new Set();

  async update(problems: readonly Problem[]): Promise<void> {
    const found = new Map<string, Problem['severity']>();
    const pace = new Pace();
    for (const problem of problems) {
      found.set(lineOf(problem), problem.severity);
      await pace.pause;
    }
    const unlogged = [...found].filter(([line]) => !this.#logged.has(line));
    for (const [line, severity] of unlogged.slice(0, maxLines)) log(severity, line);
    if (unlogged.length > maxLines)
      log(
        'warning',
        `${unlogged.length - maxLines} more problems with prompts are not shown; run "adjutant prompts lint" to list them`,
      );
    this.#logged = new Set(found.keys());
  }
}

function lineOf({ file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  // Control characters in a file name could forge log lines or change the terminal's state.
  return `${place}: ${message}`.replaceAll(/\p{Cc}+/gu, ' ');
}
