import type { Terminal } from './command.ts';

/** Escape codes on a terminal that wants them, nothing elsewhere. */
export function paint(terminal: Terminal, code: number, text: string): string {
  return terminal.output.isTTY && terminal.env['NO_COLOR'] === undefined
    ? `\u001b[${code}m${text}\u001b[0m`
    : text;
}

/** Columns for people. On a terminal the last one is cut at its edge. */
export function printTable(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const plain = rows.map((row) => row.map(oneLine));
  const widths = head.map((title, index) =>
    Math.min(40, Math.max(title.length, ...plain.map((row) => row[index]!.length))),
  );
  const edge = terminal.output.isTTY ? terminal.output.columns : undefined;
  const line = (cells: readonly string[]) => {
    const text = cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index]!)))
      .join('  ')
      .trimEnd();
    return edge !== undefined && text.length > edge ? `${text.slice(0, edge - 1)}…` : text;
  };
  terminal.print(`${paint(terminal, 1, line(head))}\n${plain.map((row) => `${line(row)}\n`).join('')}`);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
