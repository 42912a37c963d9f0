import { Lines } from '../template/position.ts';
import type { Report } from './format.ts';

/** A file full of them is reported often enough. */
const most = 20;

/** Reports every place of a body that means something to the client it was written for and nothing here. */
export function reportPlaces(
  body: string,
  bodyLine: number,
  report: Report,
  meanings: readonly (readonly [pattern: RegExp, meaning: string])[],
): void {
  const lines = new Lines(body);
  for (const [pattern, meaning] of meanings) {
    for (const { index, 0: found } of [...body.matchAll(pattern)].slice(0, most)) {
      const blank = found.length - found.trimStart().length;
      const { line, column } = lines.at(index + blank);
      const shown = found.trim();
      report(
        `${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown} ${meaning}; it stays in the text as it is`,
        bodyLine + line - 1,
        column,
      );
    }
  }
}

/** Reports fields of the front matter that have no counterpart. */
export function reportFields(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: Report,
  file: string,
): void {
  const lines = file.split('\n');
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, most)) {
    const line = lines.findIndex((text) => text.startsWith(name)) + 1;
    report(`the field ${name} has no counterpart and is left out`, line || 1);
  }
  if (unknown.length > most)
    report(`${unknown.length - most} more fields have no counterpart and are left out`, 1);
}
