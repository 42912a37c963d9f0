import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from './decision.ts';

const single = 'Single-scope task; delegation overhead likely not worth it.';
const question = 'Looks like an informational question.';

describe('decide', () => {
  it.each([
    ['', 'Empty task.'],
    [' \n\t ', 'Empty task.'],
    ['What does the parser do?', question],
    ['How do I add a test to this project?', question],
    ['Please explain how login, sessions and tokens work together', question],
    ['Can you tell me why the build is slow, and what the options are?', question],
    ['Does this module need docs, tests and a security review?', question],
    ['Summarize the architecture: code, tests, docs', question],
    ['Fix the typo in README.md', single],
    ['Rename foo to bar in src/a.ts, please, and nothing else', single],
    ['Implement the retry', single],
  ])('does not delegate %j', (task, reason) => {
    expect(decide(task)).toEqual({ should_delegate: false, reason });
  });

  it.each([
    [
      'Refactor the parser, update the tests and rewrite the docs',
      'cross-cutting (code, tests, docs); multiple clauses',
    ],
    ['Why does login fail? Fix it and add tests.', 'cross-cutting (code, tests)'],
    [
      'Explain the cache, then implement eviction and document it in the docs',
      'cross-cutting (code, docs); multiple clauses',
    ],
    ['Rename the API and update the docs', 'cross-cutting (code, docs)'],
    ['Could you add tests for the API endpoints?', 'cross-cutting (code, tests)'],
    [`Move the settings page to the new layout ${'x'.repeat(130)}`, 'long task'],
  ])('delegates %j', (task, reason) => {
    expect(decide(task)).toEqual({ should_delegate: true, reason });
  });

  it('returns a decision with a reason for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (task) => {
        expect(decide(task).reason).not.toBe('');
      }),
    );
  });
});
