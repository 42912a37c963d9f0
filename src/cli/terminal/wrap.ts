/** Wraps the lines of a text that are longer than the terminal. Other programs get them as they are. */
export function fitted(text: string, { output }: { readonly output: NodeJS.WriteStream }): string {
  if (!output.isTTY) return text;
  const width = output.columns || 80;
  const lines = text.split('\n');
  return lines.flatMap((line) => (line.length <= width ? line : hanging(line, 2, width))).join('\n');
}

/** Wraps a line. The lines after the first are indented. */
export function hanging(line: string, indent: number, width: number): string[] {
  const start = /^ */.exec(line)![0];
  const [first = '', ...more] = wrap(line.trimStart(), width - indent);
  return [`${start}${first}`, ...more.map((rest) => `${' '.repeat(indent)}${rest}`)];
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
