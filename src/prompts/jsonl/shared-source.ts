import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { type JsonObject, messageOf } from '../../json.ts';
import type { RecordEdit, Records } from '../../records.ts';
import type { PromptDefinition } from '../definition.ts';
import type { Author, PromptChanges, PromptDraft, Revision } from '../source.ts';
import type { ArchivedPromptSource } from './copy-prompts.ts';
import {
  type Change,
  changeOf,
  creating,
  deleting,
  type Edit,
  repeating,
  restoring,
  updating,
} from './prompt-edits.ts';
import { type PromptRecord, toDefinition, toDraft } from './record.ts';

const kind = 'prompt';

interface Loaded {
  readonly version: number;
  readonly prompts: readonly PromptDefinition[];
  readonly problems: readonly Problem[];
}

/** The person's own prompts in a database, the same on every machine that shares it. */
export class SharedSource implements ArchivedPromptSource {
  readonly name = 'user';
  readonly #records: Records;
  /** Definitions by what they were made from: one that did not change is the very same object. */
  #made = new Map<string, PromptDefinition>();
  #loaded: Loaded = { version: -1, prompts: [], problems: [] };

  constructor(records: Records) {
    this.#records = records;
  }

  async list(): Promise<readonly PromptDefinition[]> {
    return (await this.#load()).prompts;
  }

  async get(name: string): Promise<PromptDefinition | undefined> {
    return (await this.list()).find((prompt) => prompt.name === name);
  }

  async problems(): Promise<readonly Problem[]> {
    try {
      return (await this.#load()).problems;
    } catch (error) {
      return [{ file: this.#records.place, severity: 'error', message: messageOf(error) }];
    }
  }

  create(draft: PromptDraft, client: Author): Promise<PromptDefinition> {
    return this.#put(draft.name, { action: 'create', time: now(), client }, creating(draft));
  }

  update(name: string, changes: PromptChanges, client: Author): Promise<PromptDefinition> {
    return this.#put(name, { action: 'update', time: now(), client }, updating(name, changes));
  }

  async delete(name: string, client: Author): Promise<void> {
    await this.#change(name, { action: 'delete', time: now(), client }, deleting(name));
  }

  names(): Promise<readonly string[]> {
    return this.#records.everKeys(kind);
  }

  async repeat(name: string, revision: Revision): Promise<void> {
    await this.#change(name, changeOf(revision), repeating(revision));
  }

  async history(name: string): Promise<readonly Revision[]> {
    const entries = await this.#records.history(kind, name);
    if (entries.length === 0) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    return entries as unknown as readonly Revision[];
  }

  async restore(name: string, revision: number, client: Author): Promise<PromptDefinition> {
    const edit = restoring(name, revision, await this.history(name));
    return this.#put(name, { action: 'restore', restored: revision, time: now(), client }, edit);
  }

  subscribe(listener: () => void): () => void {
    return this.#records.subscribe((changed) => {
      if (changed === kind) listener();
    });
  }

  close(): void {
    void this.#records.close();
  }

  async #load(): Promise<Loaded> {
    const version = await this.#records.version(kind);
    if (version === this.#loaded.version) return this.#loaded;
    const problems: Problem[] = [];
    const made = new Map<string, PromptDefinition>();
    const prompts = (await this.#records.list(kind)).flatMap((record) => {
      try {
        const text = JSON.stringify(record);
        const prompt = this.#made.get(text) ?? this.#define(record as unknown as PromptRecord);
        made.set(text, prompt);
        return [prompt];
      } catch (error) {
        problems.push({ file: this.#records.place, severity: 'error', message: messageOf(error) });
        return [];
      }
    });
    this.#made = made;
    this.#loaded = { version, prompts, problems };
    return this.#loaded;
  }

  #define(record: PromptRecord): PromptDefinition {
    return toDefinition(record, this.#records.place, 1);
  }

  async #put(name: string, change: Change, edit: Edit): Promise<PromptDefinition> {
    return this.#define((await this.#change(name, change, edit))!);
  }

  async #change(name: string, change: Change, edit: Edit): Promise<PromptRecord | undefined> {
    const write: RecordEdit = (current, entries) => {
      const next = edit(current as PromptRecord | undefined, change.time);
      if (next !== undefined) this.#define(next);
      const entry: Revision = {
        revision: entries + 1,
        ...change,
        ...(next !== undefined && { prompt: toDraft(next) }),
      };
      return { next: next as JsonObject | undefined, entry: entry as unknown as JsonObject };
    };
    return (await this.#records.change(kind, name, write)) as PromptRecord | undefined;
  }
}

const now = () => new Date().toISOString();
