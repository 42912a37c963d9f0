import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../log.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import { type FolderReading, FolderSource, type WatchOptions } from '../sources/folder-source.ts';
import { builtIns } from './built-ins.ts';
import { prepareReplacement } from './durable-file.ts';
import { createPromptFileCache, parsePromptFile } from './prompt-file.ts';

export interface BuiltInSourceOptions extends WatchOptions {
  readonly folder: string;
  /** Creates `default.jsonl` if it is missing. */
  readonly seeds: boolean;
}

/** The built-in prompts, read from `default.jsonl` if it exists. They cannot be edited over MCP. */
export class BuiltInSource extends FolderSource {
  readonly name = 'built-in';
  readonly #folder: string;
  readonly #file: string;
  readonly #seeds: boolean;
  readonly #cache = createPromptFileCache();
  readonly #bundled;
  #seeding: Promise<void> | undefined;

  constructor({ folder, seeds, ...watching }: BuiltInSourceOptions) {
    super(watching);
    this.#folder = folder;
    this.#file = join(folder, 'default.jsonl');
    this.#seeds = seeds;
    this.#bundled = memoize(() => parsePromptFile(defaultFile(), this.#file));
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    return (await this.#load()).file.byName.get(name);
  }

  protected async read(): Promise<FolderReading> {
    const { file, problem } = await this.#load();
    const problems = problem === undefined ? file.problems : [problem, ...file.problems];
    return { prompts: file.prompts, problems, folders: [this.#folder] };
  }

  async #load() {
    if (this.#seeds && !existsSync(this.#file)) await this.#writeSeeds();
    const loaded = await this.#cache.load(this.#file);
    return { file: loaded?.value ?? this.#bundled(), problem: loaded?.problem };
  }

  /** Requests that come together write the file once. Only logs a failure: the prompts are served even if the folder is not writable. */
  #writeSeeds(): Promise<void> {
    this.#seeding ??= this.#seed().finally(() => {
      this.#seeding = undefined;
    });
    return this.#seeding;
  }

  async #seed(): Promise<void> {
    try {
      mkdirSync(join(this.#folder, 'backups'), { recursive: true, mode: 0o700 });
      await (await prepareReplacement(this.#file, defaultFile())).commit();
    } catch (error) {
      log('debug', `could not write ${this.#file}`, error);
    }
  }
}

function defaultFile(): Buffer {
  const now = new Date().toISOString();
  return Buffer.from(
    builtIns.map((prompt) => `${JSON.stringify({ ...prompt, created: now, updated: now })}\n`).join(''),
  );
}

function memoize<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
