import { describe, expect, it } from 'vitest';
import { kindOf, spoken } from '../../src/web/page/runs/timeline-line.ts';

describe('a line of a run', () => {
  it.each([
    ['{"summary":', '{"summary":'],
    ['{"summary":"cut of…', '{"summary":"cut of…'],
    ['{"summary":"bad \\x escape"}', '{"summary":"bad \\x escape"}'],
    ['{"other":"x","summary":"y"}', '{"other":"x","summary":"y"}'],
    ['see {"summary":"not the answer"}', 'see {"summary":"not the answer"}'],
    ['{"summary":"Did it.","deliverables":[{"pa…', 'Did it.'],
    ['{ "summary" : "It said \\"no\\".\\nTwice." }', 'It said "no".\nTwice.'],
    ['look: {"summary":"Looked.","deliverables":[]}', 'look: Looked.'],
  ])('says what the agent said: %j', (line, said) => {
    expect(spoken(line)).toBe(said);
  });

  it.each([
    ['$ ls', 'command'],
    ['$ ls → 0', 'command'],
    ['$ ls → 127', 'command failed'],
    ['$ ls → -1', 'command failed'],
    ['tests: $ npm test → 1', 'command failed'],
    ['warning: slow', 'warning'],
    ['failed: no model', 'failed'],
    ['scan: failed (no answer)', 'failed'],
    ['turn began', 'step'],
    ['I failed at nothing', ''],
    ['look: completed', ''],
  ])('is known by its beginning: %j', (line, kind) => {
    expect(kindOf(line)).toBe(kind);
  });
});
