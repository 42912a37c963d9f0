import { isObject } from '../../json.ts';
import { maxFileBytes, readRegularFile } from '../../regular-file.ts';

/**
 * Reads a JSON object from a file. Returns `undefined` if the file is unreadable or holds anything else. Throws if there are no
 * free file handles: the caller must not take the file for missing.
 */
export async function readJson(file: string): Promise<Record<string, unknown> | undefined> {
  const text = await readRegularFile(file, maxFileBytes).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EMFILE' || error.code === 'ENFILE') throw error;
    return '';
  });
  return parseObject(text);
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
