/** Wrong use of a command. The message says what to do instead. */
export class UsageError extends Error {}

/** A problem and the command lines that may be meant. Without any, it refers to the help. */
export function withSuggestions(problem: string, lines: readonly string[], help: string): string {
  if (lines.length === 0) return `${problem}\n  adjutant ${help} lists what there is.`;
  return [
    `${problem}\n  Did you mean: adjutant ${lines[0]}`,
    ...lines.slice(1).map((line) => `adjutant ${line}`),
  ].join('\n            or: ');
}
