import { useEffect, useState } from 'preact/hooks';
import type { Draft, PromptSource } from './prompt-draft.ts';

/** Unsaved edits and the version of the prompt that they started from. */
export interface StoredDraft {
  readonly draft: Draft;
  readonly base: PromptSource;
}

/** The draft of a prompt that does not exist yet. No prompt name contains a plus sign. */
export const newPromptKey = '+new';

/** The draft of a copy that does not exist yet. */
export function copyKey(name: string): string {
  return `+copy ${name}`;
}

const prefix = 'adjutant-draft:';
const changed = 'adjutant-drafts-changed';

/**
 * The session storage keeps the draft of this tab over a reload, even if another tab edits the same prompt. The local
 * storage keeps the last draft of all tabs, so that it survives a closed tab.
 */
export function readDraft(name: string): StoredDraft | undefined {
  const text = sessionStorage.getItem(prefix + name) ?? localStorage.getItem(prefix + name);
  if (text === null) return undefined;
  try {
    const stored = JSON.parse(text) as StoredDraft;
    // Written by a version of the page whose drafts had a single text.
    if (!Array.isArray(stored.draft.messages)) return undefined;
    store(sessionStorage, name, text);
    return stored;
  } catch {
    return undefined;
  }
}

export function writeDraft(name: string, stored: StoredDraft): void {
  const isNew = !hasDraft(name);
  const text = JSON.stringify(stored);
  store(sessionStorage, name, text);
  store(localStorage, name, text);
  if (isNew) dispatchEvent(new Event(changed));
}

/** Removes the draft of this tab. A newer draft of another tab stays. */
export function removeDraft(name: string): void {
  if (!hasDraft(name)) return;
  if (localStorage.getItem(prefix + name) === sessionStorage.getItem(prefix + name))
    localStorage.removeItem(prefix + name);
  sessionStorage.removeItem(prefix + name);
  dispatchEvent(new Event(changed));
}

export function hasDraft(name: string): boolean {
  return [sessionStorage, localStorage].some((storage) => storage.getItem(prefix + name) !== null);
}

/** Like hasDraft, and renders the component again when a draft is created or removed. */
export function useHasDraft(name: string): boolean {
  const [, setCount] = useState(0);
  useEffect(() => {
    const update = () => setCount((now) => now + 1);
    for (const type of [changed, 'storage']) addEventListener(type, update);
    // A draft may have been created or removed since the first rendering.
    update();
    return () => {
      for (const type of [changed, 'storage']) removeEventListener(type, update);
    };
  }, []);
  return hasDraft(name);
}

/** A draft that exceeds the browser's quota is not kept. The editor itself still works. */
function store(storage: Storage, name: string, text: string): void {
  try {
    storage.setItem(prefix + name, text);
  } catch {
    storage.removeItem(prefix + name);
  }
}
