import type { Problem } from '../../feature.ts';
import { log } from '../../log.ts';

/** More at once would hide each other. */
const most = 50;

/** Writes problems to the log: each once, and again only after it was gone or became another one. */
export class ProblemLog {
  #logged: ReadonlySet<string> = new Set();

  update(problems: readonly Problem[]): void {
    const found = new Map(problems.map((problem) => [lineOf(problem), problem.severity]));
    const unlogged = [...found].filter(([line]) => !this.#logged.has(line));
    for (const [line, severity] of unlogged.slice(0, most)) log(severity, line);
    if (unlogged.length > most)
      log(
        'warning',
        `${unlogged.length - most} more problems with prompts; adjutant prompts lint lists them`,
      );
    this.#logged = new Set(found.keys());
  }
}

function lineOf({ file, line, column, message }: Problem): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  // A file name or a text must not write lines of its own or control the terminal.
  return `${place}: ${message}`.replaceAll(/\p{Cc}+/gu, ' ');
}
