import { describe, expect, it } from 'vitest';
import { textDifference } from './install.ts';

const letters = [...'abcdefghijklmnop'];
const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;

describe('the difference shown before a file is written', () => {
  it('is empty for equal texts', async () => {
    expect(await textDifference('a\nb\n', 'a\nb\n')).toBe('');
  });

  it('marks a new file as added', async () => {
    expect(await textDifference('', 'a\nb\n')).toBe('+ a\n+ b\n');
  });

  it('shows two changes far apart without the lines between them', async () => {
    const after = letters.with(1, 'X').with(14, 'Y');
    expect(await textDifference(text(letters), text(after))).toBe(
      '  a\n- b\n+ X\n  c\n  d\n  …\n  m\n  n\n- o\n+ Y\n  p\n',
    );
  });

  it('ignores a missing line break at the end', async () => {
    expect(await textDifference('{}', '{\n}\n')).toBe('- {}\n+ {\n+ }\n');
  });

  it('shows both texts in full if too many lines differ', async () => {
    const many = (word: string) => text(Array.from({ length: 30_000 }, (_, index) => `${word} ${index}`));
    const lines = (await textDifference(many('old'), many('new'))).split('\n');
    expect(lines.length).toBe(60_001);
    expect([lines[0], lines[29_999], lines[30_000]]).toEqual(['- old 0', '- old 29999', '+ new 0']);
  });
});
