import { describe, expect, it } from 'vitest';
import { rank, reasonsFor, type Standing } from './comparison.ts';

const standing = (id: string, fields: Partial<Standing> = {}): Standing => ({
  run_id: `run/${id}`,
  id,
  agent: id,
  status: 'completed',
  checks_passed: 2,
  checks: 2,
  unmet_claims: 0,
  changed_files: 1,
  changed_lines: 10,
  tokens: 100,
  cost_usd: 0.5,
  duration_ms: 1_000,
  ...fields,
});

describe('the ranking of candidates', () => {
  it.each<[string, Partial<Standing>, Partial<Standing>, string]>([
    ['its status', { status: 'failed', changed_lines: 1 }, {}, 'b is completed; a is failed.'],
    [
      'its problems',
      { status: 'completed_with_problems' },
      {},
      'b is completed; a is completed with problems.',
    ],
    [
      'its checks',
      { checks_passed: 1, changed_lines: 1 },
      {},
      'b passed 2 of 2 checks; a passed 1 of 2 checks.',
    ],
    ['its claims', { unmet_claims: 1, cost_usd: 0 }, {}, 'b has 0 unmet claims; a has 1 unmet claims.'],
    ['having changed anything', { changed_lines: 0 }, {}, 'b changed files; a changed nothing.'],
    [
      'the size of its change',
      { cost_usd: 0 },
      { changed_lines: 9 },
      'b changed 9 lines; a changed 10 lines.',
    ],
    ['its cost', { duration_ms: 1 }, { cost_usd: 0.25 }, 'b cost $0.2500; a cost $0.5000.'],
    [
      'its time, if a cost is unknown',
      { cost_usd: null },
      { duration_ms: 500 },
      'b took 0.5 s; a took 1.0 s.',
    ],
  ])('prefers a candidate for %s', (_, a, b, reason) => {
    const [first, ...others] = rank([standing('a', a), standing('b', b)]);
    expect(first!.id).toBe('b');
    expect(reasonsFor(first!, others)).toEqual([reason]);
  });

  it('keeps the order of the call for equal candidates', () => {
    const [first, ...others] = rank([standing('a'), standing('b')]);
    expect(reasonsFor(first!, others)).toEqual(['a and b are equal in every measure.']);
  });
});
