import type { Problem } from '../feature.ts';
import type { PromptDefinition, Reading } from './definition.ts';
import { FolderWatch, type FolderWatchOptions } from './folder-watch.ts';
import type { PromptSource } from './source.ts';

export interface FolderReading extends Reading {
  /** Where a change would matter; those that are not there yet among them. */
  readonly folders: readonly string[];
}

export type WatchOptions = Omit<FolderWatchOptions, 'changed'>;

/** A source that is a matter of files: read when it is asked, watched as soon as somebody wants to be told. */
export abstract class FolderSource implements PromptSource {
  abstract readonly name: string;
  readonly #watchOptions: WatchOptions;
  readonly #listeners = new Set<() => void>();
  #watch: FolderWatch | undefined;
  #prompts: readonly PromptDefinition[] = [];

  constructor(watchOptions: WatchOptions) {
    this.#watchOptions = watchOptions;
  }

  /** Everything as it is on disk now. A definition that did not change is the very same object. */
  protected abstract read(): Promise<FolderReading>;
  abstract get(name: string): Promise<PromptDefinition | undefined>;

  async list(): Promise<readonly PromptDefinition[]> {
    const { prompts, folders } = await this.read();
    this.#watch?.set(folders);
    const known = this.#prompts;
    if (prompts.length !== known.length || prompts.some((prompt, index) => prompt !== known[index]))
      this.#prompts = prompts;
    return this.#prompts;
  }

  async problems(): Promise<readonly Problem[]> {
    return [...(await this.read()).problems, ...(this.#watch?.problems ?? [])];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#watch ??= new FolderWatch({ ...this.#watchOptions, changed: () => this.#changed() });
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#watch?.close();
  }

  /** Something was changed through us. */
  protected noticed(): void {
    this.#watch?.noticed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
