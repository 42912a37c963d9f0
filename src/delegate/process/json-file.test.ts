import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evaluateWithoutHandles } from '../../../test/no-file-handles.ts';

it.skipIf(process.platform === 'win32')('does not take a file for missing that cannot be opened now', () => {
  const read = `loaded.readJson(${JSON.stringify(join(import.meta.dirname, '../../../package.json'))})`;
  expect(evaluateWithoutHandles(join(import.meta.dirname, 'json-file.ts'), read)).toBe('EMFILE');
});
