import { replaceFile } from '../../atomic-file.ts';
import { parseObject } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFileSync } from '../../regular-file.ts';

/** The revisions whose tests passed, kept in a file. Losing it only means that more tests run. */
export class TestedRevisions {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  has(name: string, revision: string): boolean {
    return this.#read()[name] === revision;
  }

  add(passed: ReadonlyMap<string, string>): void {
    if (passed.size === 0) return;
    try {
      replaceFile(this.#path, JSON.stringify({ ...this.#read(), ...Object.fromEntries(passed) }));
    } catch (error) {
      log('warning', `could not remember which tests passed in ${this.#path}`, error);
    }
  }

  #read(): Readonly<Record<string, unknown>> {
    try {
      return parseObject(readRegularFileSync(this.#path)) ?? {};
    } catch {
      return {};
    }
  }
}
