import { useEffect, useRef } from 'preact/hooks';

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

/** How long a first key such as `g` waits for the second one. */
const sequenceMs = 1500;

/**
 * Runs actions by key, such as `?`, `mod+k` for Ctrl+K or Cmd+K, or `g p` for two keys in a row. Keys without a modifier
 * are ignored in text fields and dialogs.
 */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let first = '';
    let pressedAt = 0;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented) return;
      const mod = event.ctrlKey || event.metaKey;
      if (!mod && (event.target as Element).closest?.('input, textarea, select, dialog')) return;
      const key = mod ? `mod+${event.key.toLowerCase()}` : event.key;
      const sequence = event.timeStamp - pressedAt < sequenceMs ? `${first} ${key}` : key;
      const action = latest.current[sequence] ?? latest.current[key];
      [first, pressedAt] = [key, action ? 0 : event.timeStamp];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** `⌘K` on Apple devices, `Ctrl+K` elsewhere. */
const withMod = (key: string) => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? `⌘${key}` : `Ctrl+${key}`);
export const paletteKeys = withMod('K');
export const saveKeys = withMod('S');
