import { closeSync, readSync, statSync } from 'node:fs';
import { parseObject } from '../../json.ts';
import { maxFileBytes, openRegularFileSync, readRegularBytesSync } from '../../regular-file.ts';
import type { PromptDraft, Revision } from '../definition/source.ts';
import { appendDurably } from './durable-file.ts';
import { splitLines } from './prompt-file.ts';

/** One line of the file. */
export interface HistoryEntry extends Revision {
  readonly name: string;
}

/** The last revision of a prompt, with its content as JSON or `undefined` after a deletion. */
export interface LastKnown {
  readonly revision: number;
  readonly prompt: string | undefined;
}

/** Append-only file with one line for every change. */
export class HistoryFile {
  readonly #path: string;
  #last = new Map<string, LastKnown>();
  #readUpTo = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Revisions of one prompt, oldest first. */
  of(name: string): readonly Revision[] {
    return this.#entries().flatMap(({ name: entryName, ...revision }) =>
      entryName === name ? [revision] : [],
    );
  }

  /** Revisions of every prompt by name, oldest first. */
  histories(): ReadonlyMap<string, readonly Revision[]> {
    const histories = new Map<string, Revision[]>();
    for (const { name, ...revision } of this.#entries()) {
      const known = histories.get(name);
      if (known === undefined) histories.set(name, [revision]);
      else known.push(revision);
    }
    return histories;
  }

  #entries(): readonly HistoryEntry[] {
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

  /** Resolves to a function that undoes the append, valid until the next append. */
  append(entries: readonly HistoryEntry[]): Promise<() => Promise<void>> {
    return appendDurably(this.#path, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }

  /** Reads the entries added since the last call. */
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
      if (entry !== undefined) this.#last.set(entry.name, toLastKnown(entry));
    }
    this.#readUpTo = added.at(-1) === 0x0a ? size : this.#readUpTo;
  }
}

export function toLastKnown({ revision, prompt }: Revision): LastKnown {
  return { revision, prompt: serializePrompt(prompt) };
}

export function toLastEntry({ revision, prompt }: LastKnown): Pick<Revision, 'revision' | 'prompt'> {
  return { revision, ...(prompt !== undefined && { prompt: JSON.parse(prompt) as PromptDraft }) };
}

/** Returns the prompt as JSON for comparisons. */
export function serializePrompt(prompt: PromptDraft | undefined): string | undefined {
  return prompt === undefined ? undefined : JSON.stringify(prompt);
}

/** Returns `undefined` for an invalid line, such as one that a crashed writer left incomplete. */
function parseEntry(line: Buffer): HistoryEntry | undefined {
  const entry = parseObject(line.toString('utf8'));
  return typeof entry?.['name'] === 'string' && typeof entry['revision'] === 'number'
    ? (entry as unknown as HistoryEntry)
    : undefined;
}
