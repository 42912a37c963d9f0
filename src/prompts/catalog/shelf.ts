import { Failure } from '../../failure.ts';
import { log } from '../../log.ts';
import type { Records } from '../../store/records.ts';

/** How a person has filed a prompt. */
export interface Filing {
  readonly prompt: string;
  readonly favourite?: boolean;
  /** Folders are separated by slashes. */
  readonly folder?: string;
}

const kind = 'prompt_filing';
const none: ReadonlyMap<string, Filing> = new Map();

/** The favourites and folders of the library. They belong to the names of prompts, whatever source these come from. */
export class Shelf {
  readonly #documents: Records;
  readonly #listeners = new Set<() => void>();
  #known: { readonly version: number; readonly filings: ReadonlyMap<string, Filing> } | undefined;

  constructor(documents: Records) {
    this.#documents = documents;
  }

  /**
   * By name of the prompt. Returns the same map until something changes, and the last one known while the database cannot be
   * read: prompts are files, and must be listed without it.
   */
  async filings(): Promise<ReadonlyMap<string, Filing>> {
    try {
      const version = await this.#documents.version(kind);
      if (this.#known?.version !== version) {
        const found = (await this.#documents.list(kind)) as unknown as readonly Filing[];
        this.#known = { version, filings: new Map(found.map((filing) => [filing.prompt, filing])) };
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      log('debug', `favourites and folders cannot be read: ${error.message}`);
    }
    return this.#known?.filings ?? none;
  }

  /** Changes the given fields. An empty folder takes the prompt out of its folder. */
  async file({ prompt, favourite, folder }: Filing): Promise<Filing> {
    if (
      folder !== undefined &&
      (folder.length > 200 || !/^(?:[^/\p{Cc}]+(?:\/[^/\p{Cc}]+)*)?$/u.test(folder))
    )
      throw new Failure('invalid-params', 'folder must be a name, or names separated by single slashes.');
    let filed: Filing = { prompt };
    await this.#documents.change(kind, prompt, (current) => {
      const before = (current ?? { prompt }) as unknown as Filing;
      const isFavourite = favourite ?? before.favourite ?? false;
      const place = folder ?? before.folder ?? '';
      filed = { prompt, ...(isFavourite && { favourite: true }), ...(place && { folder: place }) };
      return { next: isFavourite || place ? { ...filed } : undefined, entry: { ...filed } };
    });
    for (const listener of this.#listeners) listener();
    return filed;
  }

  /** Calls the listener after a change by this process. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
