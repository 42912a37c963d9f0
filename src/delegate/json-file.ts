import { promises as disk } from 'node:fs';
import { isObject } from '../json.ts';

/** The object in a file; `undefined` when there is none to be read. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  try {
    const value: unknown = JSON.parse(await disk.readFile(file, 'utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
