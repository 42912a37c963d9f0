import { describe, expect, it } from 'vitest';
import { findSteps, planOf, stepsOf } from '../../src/web/page/runs/run-steps.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 16, 12, 0, seconds)).toISOString();
const stepOf = (text: string) => stepsOf([{ line: 1, text }], false)[0];

describe('the steps of a run', () => {
  it('join the start and the end of a command, with its output and duration', () => {
    const events = [
      { line: 1, text: 'thread 123' },
      { line: 2, text: '$ npm test', kind: 'item.started', item: 'a', time: at(0) },
      {
        ...{ line: 3, text: '$ npm test → 1', kind: 'item.completed', item: 'a', time: at(3) },
        ...{ output: '1 failed', exit_code: 1 },
      },
      { line: 4, text: 'turn completed' },
    ];
    expect(stepsOf(events, false)).toEqual([
      {
        ...{ key: ' item a', kind: 'command', text: 'npm test', output: '1 failed', exitCode: 1 },
        ...{ open: false, failed: true, time: at(0), duration: 3000 },
      },
    ]);
    expect(stepsOf(events.slice(0, 2), true)[0]).toMatchObject({ open: true, failed: false });
  });

  it('keep a command apart that runs twice, also for agents without items', () => {
    const lines = ['$ ls', '$ ls → 0', '$ ls', '$ ls → 2'].map((text, line) => ({ line, text }));
    expect(stepsOf(lines, false).map(({ exitCode }) => exitCode)).toEqual([0, 2]);
  });

  it.each([
    ['$ ls → 127', 'command', 'ls'],
    ['tests: $ npm test → 1', 'command', 'tests: npm test'],
    ['warning: slow', 'warning', 'warning: slow'],
    ['scan: failed (no answer)', 'failed', 'scan: failed (no answer)'],
    ['update src/a.js, add b.js', 'edit', 'update src/a.js, add b.js'],
    ['(I should look)', 'thought', '(I should look)'],
    ['I failed at nothing', 'message', 'I failed at nothing'],
    ['{"summary":"Did it.","deliverables":[{"pa…', 'message', 'Did it.'],
    ['{"summary":"cut of…', 'message', '{"summary":"cut of…'],
    ['{"summary":"bad \\x escape"}', 'message', '{"summary":"bad \\x escape"}'],
    ['look: {"summary":"Looked.","deliverables":[]}', 'message', 'look: Looked.'],
  ])('show %j as a %s', (line, kind, text) => {
    expect(stepOf(line)).toMatchObject({ kind, text });
  });

  it('are found by their words and by the words of their output', () => {
    const steps = stepsOf(
      [
        { line: 1, text: '$ cat a → 0', output: 'The tide is low' },
        { line: 2, text: 'update tide.js' },
      ],
      false,
    );
    expect(findSteps(steps, 'TIDE', 'all')).toHaveLength(2);
    expect(findSteps(steps, 'tide', 'edits').map(({ text }) => text)).toEqual(['update tide.js']);
  });
});

it('a plan lists what is done and what is not', () => {
  expect(planOf('[x] Look at [it] [ ] Fix it')).toEqual([
    { done: true, text: 'Look at [it]' },
    { done: false, text: 'Fix it' },
  ]);
});
