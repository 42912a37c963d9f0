import { describe, expect, it } from 'vitest';
import { displayText, lineKind } from '../../src/web/page/runs/timeline-line.ts';

describe('a timeline line', () => {
  it.each([
    ['{"summary":', '{"summary":'],
    ['{"summary":"cut of…', '{"summary":"cut of…'],
    ['{"summary":"bad \\x escape"}', '{"summary":"bad \\x escape"}'],
    ['{"other":"x","summary":"y"}', '{"other":"x","summary":"y"}'],
    ['see {"summary":"not the answer"}', 'see {"summary":"not the answer"}'],
    ['{"summary":"Did it.","deliverables":[{"pa…', 'Did it.'],
    ['{ "summary" : "It said \\"no\\".\\nTwice." }', 'It said "no".\nTwice.'],
    ['look: {"summary":"Looked.","deliverables":[]}', 'look: Looked.'],
  ])('shows the summary of the agent: %j', (line, text) => {
    expect(displayText(line)).toBe(text);
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
  ])('is classified by its prefix: %j', (line, kind) => {
    expect(lineKind(line)).toBe(kind);
  });
});
