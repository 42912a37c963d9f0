import { Lines } from '../template/lexer.ts';
import type { Report } from './format.ts';

/** Maximum number of reports of one kind per file. */
const maxReports = 20;

/**
 * A file that a client reads: a path with an extension or one that starts at a folder, or a placeholder. Names of packages
 * and people, such as `@scope/pkg` and `@alice`, are not files.
 */
export const fileReference =
  /(?<!\S)@(?:(?:~|\.{1,2})?\/[\w$./-]{0,200}[\w$/]|[\w$][\w$./-]{0,200}\.(?:[A-Za-z]\w{0,7})(?![\w/(])|\$\w{1,40})/g;

/** Reports syntax that only the original client interprets and that is plain text here. */
export function reportClientSyntax(
  body: string,
  bodyLine: number,
  report: Report,
  clientSyntax: readonly (readonly [pattern: RegExp, meaning: string])[],
): void {
  const lines = new Lines(body);
  for (const [pattern, meaning] of clientSyntax) {
    for (const { index, 0: found } of [...body.matchAll(pattern)].slice(0, maxReports)) {
      const blank = found.length - found.trimStart().length;
      const { line, column } = lines.at(index + blank);
      const shown = found.trim();
      report(
        `${shown.length > 40 ? `${shown.slice(0, 40)}…` : shown} ${meaning}; here it stays plain text`,
        bodyLine + line - 1,
        column,
      );
    }
  }
}

/** Reports fields that cannot be imported. */
export function reportUnknownFields(
  fields: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: Report,
  file: string,
): void {
  const lines = file.split('\n');
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  for (const name of unknown.slice(0, maxReports)) {
    const line = lines.findIndex((text) => text.startsWith(name)) + 1;
    report(`the field ${name} is not supported and was ignored`, line || 1);
  }
  if (unknown.length > maxReports)
    report(`${unknown.length - maxReports} more fields are not supported and were ignored`, 1);
}
