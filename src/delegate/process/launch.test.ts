import { join } from 'node:path';
import { expect, it } from 'vitest';
import { evaluateWithoutHandles } from '../../../test/no-file-handles.ts';

it.skipIf(process.platform === 'win32')('reports that there are no free file handles', () => {
  const capture = "loaded.capture({ command: 'true', args: [], env: {} }, { timeoutMs: 1000 })";
  const started = `${capture}.then(({ code, startError }) => ({ code, error: startError.code }))`;
  expect(evaluateWithoutHandles(join(import.meta.dirname, 'launch.ts'), started)).toEqual({
    code: null,
    error: 'EMFILE',
  });
});
