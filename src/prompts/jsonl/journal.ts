import { closeSync, readSync, statSync } from 'node:fs';
import { isObject } from '../../json.ts';
import { maxFileBytes, openRegularFileSync, readRegularBytesSync } from '../../regular-file.ts';
import type { PromptDraft, Revision } from '../definition/source.ts';
import { appendDurably } from './durable-file.ts';
import { splitLines } from './prompt-file.ts';

/** One line of the journal. */
export interface JournalEntry extends Revision {
  readonly name: string;
}

/** How far the history of a name goes, and the prompt after it. */
export interface LastKnown {
  readonly revision: number;
  readonly prompt: string | undefined;
}

/** Every change that was ever made, one line each, added to and never rewritten. */
export class Journal {
  readonly #path: string;
  #last = new Map<string, LastKnown>();
  #readUpTo = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Oldest first. */
  history(name: string): readonly Revision[] {
    return this.#entries().flatMap(({ name: of, ...revision }) => (of === name ? [revision] : []));
  }

  /** Of every name that it tells of. */
  histories(): ReadonlyMap<string, readonly Revision[]> {
    const histories = new Map<string, Revision[]>();
    for (const { name, ...revision } of this.#entries()) {
      const known = histories.get(name);
      if (known === undefined) histories.set(name, [revision]);
      else known.push(revision);
    }
    return histories;
  }

  #entries(): readonly JournalEntry[] {
    let bytes: Buffer;
    try {
      bytes = readRegularBytesSync(this.#path, maxFileBytes);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
    return splitLines(bytes).flatMap((line) => parseEntry(line) ?? []);
  }

  lastKnown(name: string): LastKnown {
    this.#catchUp();
    return this.#last.get(name) ?? { revision: 0, prompt: undefined };
  }

  /** Tells how to take it back, as long as nothing else was added. */
  append(entries: readonly JournalEntry[]): () => void {
    return appendDurably(this.#path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }

  /** Reads what was added since the last time. */
  #catchUp(): void {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    if (size < this.#readUpTo) {
      this.#last = new Map();
      this.#readUpTo = 0;
    }
    if (size === this.#readUpTo) return;
    const added = Buffer.alloc(size - this.#readUpTo);
    const file = openRegularFileSync(this.#path);
    try {
      for (let read = 0; read < added.length; ) {
        const count = readSync(file, added, read, added.length - read, this.#readUpTo + read);
        if (count === 0) break;
        read += count;
      }
    } finally {
      closeSync(file);
    }
    for (const line of splitLines(added)) {
      const entry = parseEntry(line);
      if (entry !== undefined) this.#last.set(entry.name, lastKnownOf(entry));
    }
    this.#readUpTo = added.at(-1) === 0x0a ? size : this.#readUpTo;
  }
}

export function lastKnownOf({ revision, prompt }: Revision): LastKnown {
  return { revision, prompt: stateOf(prompt) };
}

export function entryOf({ revision, prompt }: LastKnown): Pick<Revision, 'revision' | 'prompt'> {
  return { revision, ...(prompt !== undefined && { prompt: JSON.parse(prompt) as PromptDraft }) };
}

/** The prompt as text, to compare by. */
export function stateOf(prompt: PromptDraft | undefined): string | undefined {
  return prompt === undefined ? undefined : JSON.stringify(prompt);
}

/** A line that a dying writer left half is no entry. */
function parseEntry(line: Buffer): JournalEntry | undefined {
  try {
    const entry: unknown = JSON.parse(line.toString('utf8'));
    return isObject(entry) && typeof entry['name'] === 'string' && typeof entry['revision'] === 'number'
      ? (entry as unknown as JournalEntry)
      : undefined;
  } catch {
    return undefined;
  }
}
