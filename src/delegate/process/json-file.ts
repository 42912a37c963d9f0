import { parseObject } from '../../json.ts';
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
