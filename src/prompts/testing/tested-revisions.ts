import { replaceFile } from '../../atomic-file.ts';
import { isObject } from '../../json.ts';
import { log } from '../../log.ts';
import { readRegularFileSync } from '../../regular-file.ts';
import { parseJson } from './test-model.ts';

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
      const known = parseJson(readRegularFileSync(this.#path));
      return isObject(known) ? known : {};
    } catch {
      return {};
    }
  }
}
