import type { promises as disk } from 'node:fs';
import { openRegularFile } from '../../regular-file.ts';

const chunkBytes = 256 * 1024;
/** A line beyond this says nothing we need; it is passed over, not kept in memory. */
const longestLine = 8 * 1024 * 1024;

/** A file that grows line by line, read from where one stopped the last time. */
export class EventFile {
  readonly path: string;
  #offset = 0;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #skipping = false;

  constructor(path: string) {
    this.path = path;
  }

  get offset(): number {
    return this.#offset;
  }

  /** The complete lines written since. */
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
      this.#rest.push(chunk.subarray(start, end));
      if (!this.#skipping) yield Buffer.concat(this.#rest).toString('utf8');
      this.#forget();
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    this.#restBytes += rest.length;
    if (this.#restBytes > longestLine) {
      this.#forget();
      this.#skipping = true;
    } else if (rest.length > 0) this.#rest.push(rest);
  }

  #forget(): void {
    this.#rest = [];
    this.#restBytes = 0;
    this.#skipping = false;
  }
}
