import { expect, it } from 'vitest';
import type { Terminal } from './terminal.ts';
import { tableText } from './terminal.ts';

const terminal = { output: { isTTY: false }, env: {} } as unknown as Terminal;

it('a table shows escape sequences and direction overrides without running them', () => {
  const text = tableText(terminal, ['NAME', 'DESCRIPTION'], [['a\u001b[31m', 'x\u202Ey\nz\u0007']]);
  expect(text.split('\n')).toHaveLength(2);
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
  expect(text).toContain('a\uFFFD[31m  x\uFFFDy z');
});
