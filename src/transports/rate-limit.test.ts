import { expect, it } from 'vitest';
import { RateLimit } from './rate-limit.ts';

const allowed = (limit: RateLimit, caller: string, atMs: number, requests: number) =>
  Array.from({ length: requests }, () => limit.take(caller, atMs)).filter((wait) => wait === 0).length;

it('allows ten seconds of requests at once, then as many per second as the limit', () => {
  const limit = new RateLimit(5);
  expect(allowed(limit, 'a', 0, 100)).toBe(50);
  expect(limit.take('a', 0)).toBe(1);
  expect(allowed(limit, 'a', 1_000, 100)).toBe(5);
  expect(allowed(limit, 'a', 100_000, 100)).toBe(50);
});

it('counts each caller on its own', () => {
  const limit = new RateLimit(1);
  expect(allowed(limit, 'a', 0, 100)).toBe(10);
  expect(allowed(limit, 'b', 0, 100)).toBe(10);
});

it('makes the caller of a large batch wait until the batch is paid off', () => {
  const limit = new RateLimit(10);
  expect(limit.take('a', 0)).toBe(0);
  limit.add('a', 999);
  expect(limit.take('a', 0)).toBe(91);
  expect(limit.take('a', 89_000)).toBe(2);
  expect(limit.take('a', 91_000)).toBe(0);
});

it('has no limit if it is 0', () => {
  expect(allowed(new RateLimit(0), 'a', 0, 10_000)).toBe(10_000);
});

it('keeps the state of a busy caller among very many others', () => {
  const limit = new RateLimit(1);
  let answered = 0;
  for (let atMs = 0; atMs < 29_900; atMs++) {
    limit.take(`caller ${atMs}`, atMs);
    answered += allowed(limit, 'busy', atMs, 1);
  }
  expect(answered).toBe(10 + 29);
});
