import { expect, it } from 'vitest';
import { limitStep } from './step-limit.ts';

const forever = () => new Promise<never>(() => {});

it('a step that does not end is rejected after its limit, and its signal is aborted', async () => {
  let seen: AbortSignal | undefined;
  const work = (signal: AbortSignal) => {
    seen = signal;
    return forever();
  };
  await expect(limitStep(work, undefined, 10)).rejects.toThrow('the file system did not finish within 10 ms');
  expect(seen?.aborted).toBe(true);
});

it('a step that does not end is rejected when it is cancelled', async () => {
  const cancellation = new AbortController();
  const step = limitStep(forever, cancellation.signal);
  cancellation.abort(new Error('the run was cancelled'));
  await expect(step).rejects.toThrow('the run was cancelled');
});

it('a step is not started after it was cancelled', async () => {
  let isStarted = false;
  const work = async () => {
    isStarted = true;
  };
  await expect(limitStep(work, AbortSignal.abort(new Error('the run was cancelled')))).rejects.toThrow(
    'cancelled',
  );
  expect(isStarted).toBe(false);
});

it('a step returns its result', async () => {
  expect(await limitStep(async () => 'done')).toBe('done');
});
