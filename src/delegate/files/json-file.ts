import { isObject } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';

/** The object in a file; `undefined` when there is none to be read. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  return parseObject(await readRegularFile(file, maxFileBytes).catch(() => ''));
}

/** The object that a text says; `undefined` when it says something else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
