import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const page = readFileSync(
  join(import.meta.dirname, '..', '..', 'docs', 'explanation', 'security.md'),
  'utf8',
);

/** The scopes and the tools of each, as the table in docs/explanation/security.md states them. */
export function documentedScopes(): ReadonlyMap<string, readonly string[]> {
  const lines = page.split('\n').filter((line) => line.startsWith('|'));
  const start = lines.findIndex((line) => line.startsWith('| tools |'));
  const [head, , ...rest] = lines.slice(start).map(cells);
  const rows = rest.filter((row) => row.length === head!.length);
  return new Map(
    head!
      .slice(1)
      .map((scope, column) => [
        scope.replaceAll('`', ''),
        rows.flatMap((row) =>
          row[column + 1] === '' ? [] : [...row[0]!.matchAll(/`(\w+)`/g)].map(([, tool]) => tool!),
        ),
      ]),
  );
}

function cells(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
