import { useEffect, useState } from 'preact/hooks';
import { backUpDraft, restoreDrafts } from './draft-backup.ts';

/**
 * Every form of the page, and the address where it is. A form keeps what is typed with `useDraft` and its name here, and the
 * browser test of drafts visits every address. Words in braces are ids of things that the test makes.
 */
export const forms = {
  prompt: '#/prompts/{prompt}/edit',
  'new prompt': '#/prompts/+new',
  arguments: '#/prompts/{prompt}/use',
  trial: '#/prompts/{prompt}/try',
  folder: '#/prompts/{prompt}/use',
  'bulk tag': '#/prompts',
  run: '#/runs/+new',
  'next task': '#/runs/{run}',
  review: '#/runs/{run}',
  message: '#/runs/{open}',
  refusal: '#/runs/{open}',
  answer: '#/today/{question}',
  event: '#/calendar/{person}/new?times=2026-12-01T09:00/2026-12-01T10:00',
  'event changes': '#/calendar/{person}/event?event={event}@&do=edit',
  reminder: '#/today',
  task: '#/calendar/{person}/tasks',
  'find a time': '#/calendar/{person}/find',
  calendar: '#/calendar/{person}/calendars',
  settings: '#/calendar/{person}/settings',
  rule: '#/calendar/{person}/settings',
  person: '#/calendar/{person}/person',
  replay: '#/server/+messages/replay?person={person}',
  token: '#/server?new=token',
  routine: '#/routines/+new',
  'tool call': '#/server/+tools/show_prompt',
} as const satisfies Readonly<Record<string, string>>;
export type FormName = keyof typeof forms;

/** Addresses that may contain a password, topics that whoever knows them can read, and arguments of any other tool. */
const secretFields = ['source', 'channels', 'webhook_url', 'ntfy_topic', 'arguments'];

/** Whether a field can hold a secret. No draft keeps it. */
export function isSecretField(form: FormName, field: string): boolean {
  // The fields of a review are files.
  if (form === 'review') return false;
  if (/secret|password|token/i.test(field)) return true;
  // Authors of prompts choose the names of arguments, so a `source` is any text there.
  return form !== 'arguments' && secretFields.includes(field);
}

/** What a form keeps. */
export interface StoredDraft<Value> {
  readonly value: Value;
  /** What the form showed before anything was typed. */
  readonly base: Value;
  /** When it was typed last, in milliseconds since 1970. */
  readonly at: number;
}

/** Absent inside a chat, whose frames have no storage. */
function browserStorage(name: 'sessionStorage' | 'localStorage'): Storage | undefined {
  try {
    return globalThis[name];
  } catch {
    return undefined;
  }
}
const tab = browserStorage('sessionStorage');
const browser = browserStorage('localStorage');

const prefix = 'adjutant-draft:';
const changed = 'adjutant-drafts-changed';
const ownerKey = 'adjutant-person';
const leftKey = 'adjutant-left-by';

/** Brings back the drafts that a killed browser had not written to its local storage. Call it before the first form is shown. */
export async function recoverDrafts(): Promise<void> {
  await restoreDrafts((name, text) => {
    if (name.startsWith(prefix) && writtenAt(text) > writtenAt(browser?.getItem(name)))
      store(browser, name, text);
  });
}

function writtenAt(text: string | null | undefined): number {
  try {
    return (JSON.parse(text ?? '{}') as Partial<StoredDraft<unknown>>).at ?? 0;
  } catch {
    return 0;
  }
}

/** Drafts belong to a person: another one who signs in here does not see them. */
export function setDraftOwner(person: string): void {
  const left = browser?.getItem(leftKey);
  browser?.removeItem(leftKey);
  if (left && left !== person) moveDrafts(left, person);
  if (person === draftOwner()) return;
  tab?.setItem(ownerKey, person);
  dispatchEvent(new Event(changed));
}

/**
 * Call it when the server rejects the token. The drafts stay for the person, whoever signs in next. A token that is for no
 * single person is replaced by one with another name, so the next to sign in gets the drafts of its name.
 */
export function leaveDrafts(): void {
  const owner = draftOwner();
  if (owner?.startsWith('token ')) store(browser, leftKey, owner);
  forgetDraftOwner();
}

/** Call it when another token is used. Nobody is known until the server has told who uses it. */
export function forgetDraftOwner(): void {
  tab?.removeItem(ownerKey);
}

function moveDrafts(from: string, to: string): void {
  for (const storage of [tab, browser])
    for (const name of draftsOf(from, storage)) {
      const moved = draftName(to, name.slice(draftName(from, '').length));
      const text = storage!.getItem(name)!;
      storage!.removeItem(name);
      backUpDraft(name, null);
      if (storage!.getItem(moved) !== null) continue;
      store(storage, moved, text);
      backUpDraft(moved, text);
    }
}

/** Undefined until the server has told who this is. A reload knows it at once. */
export function draftOwner(): string | undefined {
  return tab?.getItem(ownerKey) ?? undefined;
}

const draftName = (owner: string | undefined, key: string) => `${prefix}${owner}:${key}`;
const fullKey = (key: string) => draftName(draftOwner(), key);

function draftsOf(owner: string, storage: Storage | undefined): readonly string[] {
  return Object.keys(storage ?? {}).filter((name) => name.startsWith(draftName(owner, '')));
}

/**
 * The session storage keeps the draft of this tab over a reload, even if another tab edits the same thing. The local
 * storage keeps the last draft of all tabs, so that it survives a closed tab, and the backup survives a killed browser.
 */
export function readDraft<Value>(key: string): StoredDraft<Value> | undefined {
  const name = fullKey(key);
  const text = tab?.getItem(name) ?? browser?.getItem(name);
  if (text == null || draftOwner() === undefined) return undefined;
  try {
    const stored = JSON.parse(text) as StoredDraft<Value>;
    if (stored.value === undefined) return undefined;
    store(tab, name, text);
    return stored;
  } catch {
    return undefined;
  }
}

export function writeDraft<Value>(key: string, stored: StoredDraft<Value>): void {
  if (draftOwner() === undefined) return;
  const isNew = !hasDraft(key);
  const text = JSON.stringify(stored);
  store(tab, fullKey(key), text);
  store(browser, fullKey(key), text);
  backUpDraft(fullKey(key), text);
  if (isNew) dispatchEvent(new Event(changed));
}

/** Removes the draft of this tab. A newer draft of another tab stays. */
export function removeDraft(key: string): void {
  if (!hasDraft(key)) return;
  const name = fullKey(key);
  if (browser?.getItem(name) === tab?.getItem(name)) {
    browser?.removeItem(name);
    backUpDraft(name, null);
  }
  tab?.removeItem(name);
  dispatchEvent(new Event(changed));
}

/** Removes every draft of a person who signs out, in this tab and for all tabs. */
export function removeDraftsOf(owner: string): void {
  for (const storage of [tab, browser])
    for (const name of draftsOf(owner, storage)) {
      storage?.removeItem(name);
      backUpDraft(name, null);
    }
  if (draftOwner() === owner) forgetDraftOwner();
}

/** Whether this browser holds a draft of anybody. */
export function hasAnyDraft(): boolean {
  return Object.keys(browser ?? {}).some((name) => name.startsWith(prefix));
}

export function hasDraft(key: string): boolean {
  return [tab, browser].some((storage) => storage !== undefined && storage.getItem(fullKey(key)) !== null);
}

/** Like hasDraft, and renders the component again when a draft is created or removed. */
export function useHasDraft(key: string): boolean {
  useDraftChanges();
  return hasDraft(key);
}

/** Renders the component again when a draft is created or removed, and when the server has told who this is. */
export function useDraftChanges(): void {
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
}

/** A draft that exceeds the browser's quota is not kept. The form itself still works. */
function store(storage: Storage | undefined, name: string, text: string): void {
  try {
    storage?.setItem(name, text);
  } catch {
    storage?.removeItem(name);
  }
}
