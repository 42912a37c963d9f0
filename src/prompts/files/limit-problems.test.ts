import { expect, it } from 'vitest';
import type { Problem } from '../../feature.ts';
import { limitProblems } from './limit-problems.ts';

const problems = (count: number, message = 'invalid'): Problem[] =>
  Array.from({ length: count }, (_, line) => ({ file: 'a.jsonl', line, severity: 'error', message }));

it('adds up what is missing if problems are limited again', () => {
  const once = limitProblems(problems(6_000));
  expect(once).toHaveLength(5_001);
  expect(once.at(-1)).toMatchObject({ omitted: 1_000, message: '1000 more problems are not listed' });
  expect(limitProblems([...once, ...problems(10)]).at(-1)).toMatchObject({ omitted: 1_010 });
});

it('lists a problem whose message looks like the summary', () => {
  const [first, last] = [problems(1, '7 more problems are not listed')[0]!, problems(5_000)];
  const limited = limitProblems([first, ...last]);
  expect(limited[0]).toBe(first);
  expect(limited.at(-1)).toMatchObject({ omitted: 1 });
});
