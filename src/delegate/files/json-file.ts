import { isObject } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';

/** Reads a JSON object from a file. Returns `undefined` if the file is unreadable or holds anything else. */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  return parseObject(await readRegularFile(file, maxFileBytes).catch(() => ''));
}

/** Parses a JSON object. Returns `undefined` for invalid JSON and for other values. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
