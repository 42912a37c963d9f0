import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../../json.ts';
import type { Records } from '../../records.ts';
import { readRegularBytesSync } from '../../regular-file.ts';
import type { Author } from '../definition/source.ts';
import { appendDurably } from '../jsonl/durable-file.ts';
import { FileLock } from '../jsonl/file-lock.ts';
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

/** Stores every move of every label. */
export interface LabelStore {
  /** Oldest first. */
  entries(): Promise<readonly LabelEntry[]>;
  append(entry: LabelEntry): Promise<void>;
  close?(): void;
}

const maxBytes = 256 * 1024 * 1024;

/** Stores labels in `labels.jsonl`, which is only appended to. */
export class FileLabelStore implements LabelStore {
  readonly #path: string;
  readonly #lock: FileLock;
  #known: { readonly stamp: string; readonly entries: readonly LabelEntry[] } = { stamp: '', entries: [] };

  constructor(folder: string) {
    this.#path = join(folder, 'labels.jsonl');
    this.#lock = new FileLock(join(folder, '.lock'));
  }

  async entries(): Promise<readonly LabelEntry[]> {
    const stat = statSync(this.#path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const stamp = `${stat.size}:${stat.ino}`;
    if (this.#known.stamp !== stamp) {
      const lines = readRegularBytesSync(this.#path, maxBytes).toString('utf8').split('\n');
      this.#known = { stamp, entries: lines.flatMap((line) => parseEntry(line) ?? []) };
    }
    return this.#known.entries;
  }

  async append(entry: LabelEntry): Promise<void> {
    await this.#lock.run(() => appendDurably(this.#path, `${JSON.stringify(entry)}\n`));
  }

  close(): void {
    this.#lock.close();
  }
}

/** Ignores a line that a crashed writer left incomplete. */
function parseEntry(line: string): LabelEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isObject(entry) && typeof entry['prompt'] === 'string' && typeof entry['label'] === 'string'
      ? (entry as unknown as LabelEntry)
      : undefined;
  } catch {
    return undefined;
  }
}

const kind = 'prompt_label';

/** Stores labels in the shared database. */
export class SharedLabelStore implements LabelStore {
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async entries(): Promise<readonly LabelEntry[]> {
    const histories = [...(await this.#records.histories(kind)).values()].flat() as unknown as LabelEntry[];
    return histories.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
  }

  async append(entry: LabelEntry): Promise<void> {
    const document = entry as unknown as JsonObject;
    const next = entry.action === 'remove' ? undefined : document;
    await this.#records.change(kind, `${entry.prompt}@${entry.label}`, () => ({ next, entry: document }));
  }
}
