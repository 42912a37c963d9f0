import type { Terminal } from './command.ts';

/** Colours text if the output is a terminal with colours. */
export function paint({ output, env }: Terminal, code: number, text: string): string {
  return hasColours(output, env) ? coloured(code, text) : text;
}

export function hasColours(stream: NodeJS.WriteStream, env: Terminal['env']): boolean {
  return stream.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

export function coloured(code: number, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

/** Formats rows in columns. On a terminal, lines are cut at its width. */
export function tableText(
  terminal: Terminal,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
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
  return [paint(terminal, 1, line(head)), ...plain.map(line)].join('\n');
}

/** Replaces control characters, which a pager or the next program could pass on to a terminal. */
function oneLine(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '\uFFFD');
}
