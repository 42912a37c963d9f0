import { type Dirent, readdirSync, statSync } from 'node:fs';

interface Listing {
  readonly stamp: string;
  readonly settled: boolean;
  readonly entries: readonly Dirent[];
}

/** Two changes within this time may get the same timestamp: file systems store times with limited precision. */
const tickMs = 100;

/** Caches folder listings. A folder is read again only after an entry was added, removed or renamed. */
export class FolderCache {
  readonly #listings = new Map<string, Listing>();

  /** Entries sorted by name, without hidden ones. `undefined` if the folder does not exist. */
  entries(folder: string): readonly Dirent[] | undefined {
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat === undefined) {
      this.#listings.delete(folder);
      return undefined;
    }
    const known = this.#listings.get(folder);
    const stamp = `${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
    if (known?.stamp === stamp && known.settled) return known.entries;
    const settled = Math.abs(Date.now() - stat.ctimeMs) >= tickMs;
    const entries = readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#listings.set(folder, { stamp, settled, entries });
    return entries;
  }
}
