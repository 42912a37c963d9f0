import { rmSync } from 'node:fs';
import { replaceFile } from '../../atomic-file.ts';
import type { Prompt } from '../../feature.ts';
import { isObject } from '../../json.ts';
import { readRegularFile } from '../../regular-file.ts';

/**
 * The prompts that an impatient client got last, in a file: reading thousands of files takes longer than such a client waits,
 * and its list seldom changes between two starts.
 */
export class LastListed {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** `undefined` if no client has got a list yet, or the file cannot be used. */
  async read(): Promise<readonly Prompt[] | undefined> {
    try {
      const list: unknown = JSON.parse(await readRegularFile(this.#file));
      return Array.isArray(list) && list.every(isPrompt) ? list : undefined;
    } catch {
      return undefined;
    }
  }

  write(prompts: readonly Prompt[]): void {
    replaceFile(this.#file, JSON.stringify(prompts));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}

function isPrompt(value: unknown): value is Prompt {
  return isObject(value) && typeof value['name'] === 'string' && Array.isArray(value['arguments']);
}
