import { Failure } from '../../failure.ts';
import type { Problem } from '../../feature.ts';
import { type JsonObject, messageOf } from '../../json.ts';
import type { Records } from '../../store/records.ts';
import type { PromptDefinition } from '../definition/definition.ts';
import type {
  Author,
  EditablePromptSource,
  EditOutcome,
  PromptEdit,
  Revision,
} from '../definition/source.ts';
import { editedRevision, type LastEntry } from './edited-revision.ts';
import { applyEdit, splitIntoBatches, toRejection } from './prompt-edits.ts';
import { type PromptRecord, toDefinition, toDraft } from './record.ts';

const kind = 'prompt';

interface Loaded {
  readonly version: number;
  readonly prompts: readonly PromptDefinition[];
  readonly problems: readonly Problem[];
}

/** The user's own prompts in a database, shared by several machines. */
export class SharedSource implements EditablePromptSource {
  readonly name = 'user';
  readonly #records: Records;
  /** Definitions by the JSON of their record, so that an unchanged prompt remains the same object. */
  #definitions = new Map<string, PromptDefinition>();
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

  async revision(definition: PromptDefinition): Promise<string> {
    const entries = await this.#records.history(kind, definition.name);
    return editedRevision(definition, entries.at(-1) as Revision | undefined);
  }

  async changeMany(
    edits: readonly PromptEdit[],
    author: Author,
    done?: (edits: number) => void,
  ): Promise<readonly EditOutcome[]> {
    const outcomes: EditOutcome[] = [];
    for (const batch of splitIntoBatches(edits)) {
      outcomes.push(...(await this.#write(batch, author)));
      done?.(outcomes.length);
    }
    return outcomes;
  }

  async history(name: string): Promise<readonly Revision[]> {
    const entries = await this.#records.history(kind, name);
    if (entries.length === 0) throw new Failure('prompt-not-found', `Prompt not found: ${name}`);
    return entries as unknown as readonly Revision[];
  }

  async histories(): Promise<ReadonlyMap<string, readonly Revision[]>> {
    return (await this.#records.histories(kind)) as unknown as ReadonlyMap<string, readonly Revision[]>;
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
    const definitions = new Map<string, PromptDefinition>();
    const prompts = (await this.#records.list(kind)).flatMap((record) => {
      try {
        const text = JSON.stringify(record);
        const prompt = this.#definitions.get(text) ?? this.#define(record as unknown as PromptRecord);
        definitions.set(text, prompt);
        return [prompt];
      } catch (error) {
        const { name } = record as unknown as PromptRecord;
        const [file, message] = [this.#records.place, messageOf(error)];
        problems.push({ file, severity: 'error', message, prompts: [name] });
        return [];
      }
    });
    this.#definitions = definitions;
    this.#loaded = { version, prompts, problems };
    return this.#loaded;
  }

  #define(record: PromptRecord): PromptDefinition {
    return toDefinition(record, this.#records.place, 1);
  }

  async #write(edits: readonly PromptEdit[], author: Author): Promise<readonly EditOutcome[]> {
    const { place } = this.#records;
    const outcomes: EditOutcome[] = [];
    await this.#records.changeMany(
      kind,
      edits.map((edit, at) => ({
        key: edit.name,
        edit(current, entries) {
          try {
            const { change, next, definition } = applyEdit(
              edit,
              author,
              current as PromptRecord | undefined,
              place,
              lastEntry(current, entries),
            );
            outcomes[at] = { status: 'fulfilled', value: definition };
            const prompt = next !== undefined && { prompt: toDraft(next) };
            const entry: Revision = { revision: entries + 1, ...change, ...prompt };
            return { next: next as JsonObject | undefined, entry: entry as unknown as JsonObject };
          } catch (error) {
            outcomes[at] = toRejection(error, place);
            return undefined;
          }
        },
      })),
    );
    return outcomes;
  }
}

/** A record and its history are written in one transaction, so the last entry equals the record. */
function lastEntry(current: JsonObject | undefined, entries: number): LastEntry {
  return { revision: entries, ...(current && { prompt: toDraft(current as unknown as PromptRecord) }) };
}
