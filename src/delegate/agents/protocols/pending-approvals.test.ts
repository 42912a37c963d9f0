import { afterEach, expect, it, vi } from 'vitest';
import { PendingApprovals } from './pending-approvals.ts';

afterEach(() => vi.useRealTimers());

it('refuses an answer after the end of the request, although its timer has not fired', () => {
  // Only the clock moves, as after a sleep of the machine, during which timers stand still.
  vi.useFakeTimers({ toFake: ['Date'] });
  const recorded: unknown[] = [];
  const sent: unknown[] = [];
  const open: (readonly unknown[])[] = [];
  const approvals = new PendingApprovals(
    { rules: [], timeoutMs: 60_000 },
    {
      record: (event) => recorded.push(event),
      answer: async (...given) => void sent.push(given),
      onChange: (pending) => open.push(pending),
    },
  );
  approvals.ask({ id: 'early', what: 'command', command: 'make', decisions: ['allow_once', 'refuse'] });
  approvals.ask({ id: 'late', what: 'command', command: 'rm -r .', decisions: ['allow_once', 'refuse'] });
  vi.setSystemTime(Date.now() + 59_999);
  approvals.answer('early', { decision: 'allow_once' }, 'ada');
  vi.setSystemTime(Date.now() + 1);
  expect(() => approvals.answer('late', { decision: 'allow_once' }, 'ada')).toThrow(
    /^Request "late" expired at \S+ and was refused, because nobody answered within 60 s\./,
  );
  expect(sent).toEqual([
    ['early', { decision: 'allow_once' }],
    ['late', { decision: 'refuse', reason: 'nobody answered within 60 s' }],
  ]);
  expect(recorded.at(-1)).toMatchObject({ kind: 'answered', id: 'late', by: 'the time limit' });
  expect(open.at(-1)).toEqual([]);
  expect(() => approvals.answer('late', { decision: 'allow_once' }, 'ada')).toThrow(
    'Request "late" was already answered by the time limit.',
  );
});

it('takes no answer that the request does not offer', () => {
  const sent: unknown[] = [];
  const approvals = new PendingApprovals(
    { rules: [], timeoutMs: 60_000 },
    { record: () => {}, answer: async (...given) => void sent.push(given), onChange: () => {} },
  );
  const decisions = ['allow_once', 'refuse'] as const;
  approvals.ask({ id: 'short', what: 'command', command: 'make', decisions });
  approvals.ask({ id: 'long', what: 'command', command: `make ${'x'.repeat(70_000)}`, decisions });
  expect(() => approvals.answer('short', { decision: 'allow_run' }, 'ada')).toThrow(
    'Request "short" takes only these answers: allow_once, refuse.',
  );
  expect(() => approvals.answer('long', { decision: 'allow_once' }, 'ada')).toThrow(
    'Request "long" can only be refused, because it is not shown whole.',
  );
  expect(sent).toEqual([]);
  approvals.refuseAll('the end of the run');
  expect(sent).toEqual([
    ['short', { decision: 'refuse' }],
    ['long', { decision: 'refuse' }],
  ]);
});
