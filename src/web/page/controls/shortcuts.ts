import { useEffect, useRef } from 'preact/hooks';

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
export const paletteKeys = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl+K';
