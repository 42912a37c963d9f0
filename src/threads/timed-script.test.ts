import { fileURLToPath } from 'node:url';
import { createContext } from 'node:vm';
import { expect, it } from 'vitest';
import { evaluateWithoutHandles } from '../../test/no-file-handles.ts';
import { callWithTimeout } from './timed-script.ts';

it('returns the value of the work', () => {
  expect(callWithTimeout(createContext({ work: () => 3 }), 60_000)).toBe(3);
});

it('ends work that takes too long', () => {
  const work = () => {
    for (;;);
  };
  expect(() => callWithTimeout(createContext({ work }), 50)).toThrow(
    expect.objectContaining({ code: 'ERR_SCRIPT_EXECUTION_TIMEOUT' }),
  );
});

it('fails instead of ending the process if there are no file handles left', () => {
  const path = fileURLToPath(new URL('timed-script.ts', import.meta.url));
  const context = `(await import('node:vm')).createContext({ work: () => 3 })`;
  expect(evaluateWithoutHandles(path, `loaded.callWithTimeout(${context}, 1000)`)).toBe('EMFILE');
});
