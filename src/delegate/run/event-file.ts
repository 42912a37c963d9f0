import type { promises as disk } from 'node:fs';
import { openRegularFile } from '../../regular-file.ts';

const chunkBytes = 256 * 1024;
/** Longer lines are skipped to limit memory use. */
const maxLineBytes = 8 * 1024 * 1024;

/** Reads a growing file line by line. Each read continues where the previous one stopped. */
export class EventFile {
  readonly path: string;
  #offset: number;
  #partial: Buffer[] = [];
  #partialBytes = 0;
  #skipping = false;

  /** Reads from the start, or from an offset. If that is within a line, the first line is incomplete. */
  constructor(path: string, offset = 0) {
    this.path = path;
    this.#offset = offset;
  }

  get offset(): number {
    return this.#offset;
  }

  /** Yields the complete lines written since the last call. */
  async *lines(): AsyncGenerator<string> {
    let handle: disk.FileHandle;
    try {
      handle = await openRegularFile(this.path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    try {
      for (;;) {
        const chunk = Buffer.allocUnsafe(chunkBytes);
        const { bytesRead } = await handle.read(chunk, 0, chunkBytes, this.#offset);
        if (bytesRead === 0) return;
        this.#offset += bytesRead;
        yield* this.#split(chunk.subarray(0, bytesRead));
      }
    } finally {
      await handle.close();
    }
  }

  *#split(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      this.#partial.push(chunk.subarray(start, end));
      if (!this.#skipping) yield Buffer.concat(this.#partial).toString('utf8');
      this.#resetLine();
      start = end + 1;
    }
    const partial = chunk.subarray(start);
    this.#partialBytes += partial.length;
    if (this.#partialBytes > maxLineBytes) {
      this.#resetLine();
      this.#skipping = true;
    } else if (partial.length > 0) this.#partial.push(partial);
  }

  #resetLine(): void {
    this.#partial = [];
    this.#partialBytes = 0;
    this.#skipping = false;
  }
}
