// A second copy of the drafts. Browsers write the local storage to the disk when it suits them, Chromium after many changes only
// minutes later, so a killed browser would lose what was typed. A strict transaction of IndexedDB is on the disk within a moment.

const storeName = 'drafts';
const waitMs = 300;
/** A browser that does not answer must not keep the page from starting. */
const longestStartMs = 1000;

/** The changes that are not written yet; null removes a draft. */
const waiting = new Map<string, string | null>();
let opened: Promise<IDBDatabase> | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('adjutant', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(storeName);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  return opened;
}

/**
 * Writes a draft to the disk soon, or removes it at once if there is no text, because a draft that was sent or signed out must not
 * come back. Browsers without IndexedDB keep the other copies only.
 */
export function backUpDraft(name: string, text: string | null): void {
  waiting.set(name, text);
  if (text === null) void write().catch(() => {});
  else timer ??= setTimeout(() => void write().catch(() => {}), waitMs);
}

async function write(): Promise<void> {
  clearTimeout(timer);
  timer = undefined;
  const changes = [...waiting];
  waiting.clear();
  const drafts = (await open())
    .transaction(storeName, 'readwrite', { durability: 'strict' })
    .objectStore(storeName);
  for (const [name, text] of changes)
    if (text === null) drafts.delete(name);
    else drafts.put(text, name);
}

/** Gives each draft of the backup to `restore`. Call it before the first form is shown. */
export async function restoreDrafts(restore: (name: string, text: string) => void): Promise<void> {
  const read = async () => {
    const drafts = (await open()).transaction(storeName).objectStore(storeName);
    const [names, texts] = await Promise.all([all(drafts.getAllKeys()), all(drafts.getAll())]);
    for (const [at, name] of names.entries()) restore(String(name), String(texts[at]));
  };
  const late = new Promise<void>((resolve) => setTimeout(resolve, longestStartMs));
  await Promise.race([read(), late]).catch(() => {});
}

function all<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
