import { readFile } from 'node:fs/promises';
import { Failure } from '../../failure.ts';

/** The first line of a file. The file is read each time, so that a new password needs no restart. */
export async function passwordOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure('unavailable', `The password file ${file} cannot be read (${error.code}).`, {
      cause: error,
    });
  });
  return text.split(/\r?\n/, 1)[0]!;
}
