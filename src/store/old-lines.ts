import { statSync } from 'node:fs';
import { isObject, type JsonObject } from '../json.ts';
import { readRegularBytesSync } from '../regular-file.ts';
import type { KeyedEdit, Records } from './records.ts';

const maxBytes = 256 * 1024 * 1024;
/** Lines that are taken over in one transaction. */
const chunkLines = 200;

export interface OldFile {
  readonly path: string;
  readonly kind: string;
  /** `undefined` for a line that is not valid. */
  edit(line: JsonObject): KeyedEdit | undefined;
}

/**
 * Takes over the lines that earlier versions appended to a file as documents. The file stays as it is: it is the copy of the
 * old state, and a server of an earlier version may still read it and add to it. A document counts the bytes that were taken over.
 */
export class OldLines {
  readonly #records: Records;
  readonly #file: OldFile;
  #seenSize: number | undefined;

  constructor(records: Records, file: OldFile) {
    this.#records = records;
    this.#file = file;
  }

  /** Takes over the lines that were added since the last time. */
  async takeOver(): Promise<void> {
    const { path, kind, edit } = this.#file;
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0 || size === this.#seenSize) return;
    const key = `file ${path}`;
    const taken = (await this.#records.find(kind, key))?.['bytes'] as number | undefined;
    // A shorter file is a new one.
    let start = taken !== undefined && taken <= size ? taken : 0;
    let known = taken;
    const bytes = readRegularBytesSync(path, maxBytes);
    while (start < bytes.length) {
      let end = start;
      const edits: KeyedEdit[] = [];
      for (let lines = 0; lines < chunkLines; lines++) {
        const newline = bytes.indexOf(10, end);
        if (newline < 0) break;
        const made = parseLine(bytes.toString('utf8', end, newline), edit);
        if (made !== undefined) edits.push(made);
        end = newline + 1;
      }
      if (end === start) break;
      let isFirst = false;
      const count: KeyedEdit['edit'] = (current) => {
        // Another process can have taken over the same lines meanwhile.
        isFirst = current?.['bytes'] === known;
        return isFirst ? { next: { bytes: end } } : undefined;
      };
      await this.#records.changeMany(kind, [
        { key, edit: count },
        ...edits.map((one) => ({
          key: one.key,
          edit: (...given: Parameters<typeof one.edit>) => (isFirst ? one.edit(...given) : undefined),
        })),
      ]);
      if (!isFirst) return this.takeOver();
      known = end;
      start = end;
    }
    this.#seenSize = size;
  }
}

/** Ignores a line that a crashed writer left incomplete. */
function parseLine(line: string, edit: OldFile['edit']): KeyedEdit | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? edit(value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
