import { existsSync } from 'node:fs';
import type { Problem } from '../../feature.ts';
import type { PromptDefinition, Reading } from '../definition/definition.ts';
import type { PromptSource } from '../definition/source.ts';
import { FolderWatch, type FolderWatchOptions } from '../files/folder-watch.ts';

export interface FolderReading extends Reading {
  /** Folders to watch, including those that do not exist yet. The source's own folder is the first. */
  readonly folders: readonly string[];
}

export interface WatchOptions extends Omit<FolderWatchOptions, 'changed'> {
  /** The flag or setting that names the folder, which is then expected to exist. Absent for a default folder. */
  readonly namedBy?: string | undefined;
}

/** A source of prompt files. Reads them on every request and watches them once there is a subscriber. */
export abstract class FolderSource implements PromptSource {
  abstract readonly name: string;
  readonly #watchOptions: WatchOptions;
  readonly #listeners = new Set<() => void>();
  #watch: FolderWatch | undefined;
  #prompts: readonly PromptDefinition[] = [];
  #folders: readonly string[] = [];

  constructor(watchOptions: WatchOptions) {
    this.#watchOptions = watchOptions;
  }

  /** Reads the current state from disk. An unchanged definition must be the same object as before. */
  protected abstract read(): Promise<FolderReading>;
  abstract get(name: string): Promise<PromptDefinition | undefined>;

  async list(): Promise<readonly PromptDefinition[]> {
    const { prompts, folders } = await this.read();
    this.#watch?.set(folders);
    this.#folders = folders;
    const known = this.#prompts;
    if (prompts === known) return known;
    if (prompts.length !== known.length || prompts.some((prompt, index) => prompt !== known[index]))
      this.#prompts = prompts;
    return this.#prompts;
  }

  get folders(): readonly string[] {
    return this.#folders;
  }

  async problems(): Promise<readonly Problem[]> {
    const { problems, folders } = await this.read();
    return [...this.#missingFolder(folders[0]), ...problems, ...(this.#watch?.problems ?? [])];
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#watch ??= new FolderWatch({ ...this.#watchOptions, changed: () => this.#changed() });
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#watch?.close();
  }

  /** Reports a change made by this process, without waiting for the watcher. */
  protected notifyChange(): void {
    this.#watch?.recordEvent();
  }

  #missingFolder(folder: string | undefined): readonly Problem[] {
    const { namedBy } = this.#watchOptions;
    if (namedBy === undefined || folder === undefined || existsSync(folder)) return [];
    const message = `this folder does not exist, so it has no prompts; create it, or correct it in ${namedBy}`;
    return [{ file: folder, severity: 'warning', message }];
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
