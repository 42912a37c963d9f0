import { type Dirent, readdirSync, statSync } from 'node:fs';

interface Listing {
  readonly stamp: string;
  readonly settled: boolean;
  readonly entries: readonly Dirent[];
}

/** Clocks of file systems tick every few milliseconds only. */
const tickMs = 100;

/** What lies in a folder now, read again only after something came, went or was renamed. */
export class FolderCache {
  readonly #listings = new Map<string, Listing>();

  /** Sorted by name, hidden ones left out; `undefined` when there is no such folder. */
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
