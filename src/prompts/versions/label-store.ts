import { join } from 'node:path';
import type { JsonObject } from '../../json.ts';
import { OldLines } from '../../store/old-lines.ts';
import type { KeyedEdit, Records } from '../../store/records.ts';
import type { Author } from '../definition/source.ts';
import type { Snapshot } from './snapshot.ts';

/** One move of a label. */
export interface LabelEntry {
  readonly prompt: string;
  readonly label: string;
  readonly action: 'set' | 'remove';
  readonly revision: string;
  /** RFC 3339. */
  readonly time: string;
  readonly client: Author;
  /** The label moves by itself to every new revision. */
  readonly follow?: boolean;
  /** The prompt at this revision; absent after a removal. */
  readonly snapshot?: Snapshot;
}

const kind = 'prompt_label';

/** Every move of every label: the history of one document for each label of a prompt. */
export class LabelStore {
  readonly #documents: Records;
  readonly #old: OldLines | undefined;
  #known: { readonly version: number; readonly entries: readonly LabelEntry[] } | undefined;

  /** `oldFolder` has the file `labels.jsonl` of an earlier version. */
  constructor(documents: Records, oldFolder?: string) {
    this.#documents = documents;
    if (oldFolder === undefined) return;
    const edit = (line: JsonObject) =>
      typeof line['prompt'] === 'string' && typeof line['label'] === 'string'
        ? labelEdit(line as unknown as LabelEntry)
        : undefined;
    this.#old = new OldLines(documents, { path: join(oldFolder, 'labels.jsonl'), kind, edit });
  }

  /** Oldest first. */
  async entries(): Promise<readonly LabelEntry[]> {
    await this.#old?.takeOver();
    const version = await this.#documents.version(kind);
    if (this.#known?.version !== version) {
      const entries = [...(await this.#documents.histories(kind)).values()].flat() as unknown as LabelEntry[];
      this.#known = {
        version,
        entries: entries.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0)),
      };
    }
    return this.#known.entries;
  }

  async append(entry: LabelEntry): Promise<void> {
    await this.#old?.takeOver();
    await this.#documents.changeMany(kind, [labelEdit(entry)]);
  }
}

function labelEdit(entry: LabelEntry): KeyedEdit {
  const document = entry as unknown as JsonObject;
  const next = entry.action === 'remove' ? undefined : document;
  return { key: `${entry.prompt}@${entry.label}`, edit: () => ({ next, entry: document }) };
}
