import { useEffect } from 'preact/hooks';

/** An action that the command palette offers. */
export interface Command {
  readonly title: string;
  /** The keys that do the same, or where the command leads. */
  readonly hint?: string;
  /** Other words by which the command is found. */
  readonly keywords?: string;
  run(): void;
}

const offered = new Set<readonly Command[]>();

/** Adds commands to the palette while the component is shown. */
export function useCommands(commands: readonly Command[]): void {
  useEffect(() => {
    offered.add(commands);
    return () => {
      offered.delete(commands);
    };
  });
}

/** The commands of the visible components, the innermost first. */
export function offeredCommands(): readonly Command[] {
  return [...offered].flat();
}

/** Commands that contain every word of the query. Matches at the start of the title come first. */
export function matchingCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = commands.filter(({ title, keywords = '' }) => {
    const text = `${title} ${keywords}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const starts = ({ title }: Command) => title.toLowerCase().startsWith(words[0] ?? '');
  return [...matches.filter(starts), ...matches.filter((command) => !starts(command))];
}
