import { expect, it } from 'vitest';
import { repeatTo } from '../../../test/hostile-text.ts';
import { lintFiles } from '../lint/lint-files.ts';
import { lintGiven, readGiven } from './file-thread.ts';

const long = [{ path: 'a.jsonl', text: repeatTo(100_000, 'x\n') }];

it('lints long files in a thread with the same result', async () => {
  expect(await lintGiven(long, undefined, new Set())).toEqual(await lintFiles(long));
  const silenced = new Set(['invalid-file']);
  expect((await lintGiven(long, 'jsonl', silenced)).problems).toEqual([]);
});

it('answers other requests while the thread works', async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await lintGiven(long, undefined, new Set());
  clearInterval(timer);
  expect(turns).toBeGreaterThan(5);
});

it('rejects files that take too long', async () => {
  await expect(readGiven(long, 'jsonl', { timeoutMs: 1 })).rejects.toMatchObject({
    kind: 'invalid-params',
    message: 'The files could not be read: they need more than 0.001 s. Send fewer or shorter files.',
  });
});

it('ends the thread if the request is cancelled', async () => {
  const controller = new AbortController();
  const reading = readGiven(long, 'jsonl', { signal: controller.signal });
  controller.abort(new Error('cancelled'));
  await expect(reading).rejects.toThrow('cancelled');
});

it('reports an unknown format', async () => {
  await expect(lintGiven(long, 'jsonk', new Set())).rejects.toMatchObject({ kind: 'invalid-params' });
});
