import { matchesGlob } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseWritePath, scopesOverlap } from './write-scope.ts';

describe('parseWritePath', () => {
  it.each([
    '',
    '  ',
    '..',
    '../x',
    'a/../../x',
    'src/**/../../etc',
    '/etc/passwd',
    '/srv',
    '/workshop/a',
    '~/x',
    '!a',
    'a\\b',
    'a\nb',
    '.git/hooks/x',
    'sub/.GIT/config',
    '.codex',
    'x/.agents/skills',
  ])('rejects %j', (written) => {
    expect(parseWritePath(written, '/srv/shop')).toHaveProperty('problem');
  });

  it.each([
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/', 'src'],
    ['.', '**'],
    ['/srv/shop', '**'],
    ['/srv/shop/docs/**', 'docs/**'],
    ['.github/workflows/ci.yml', '.github/workflows/ci.yml'],
  ])('normalizes %j to %j', (written, path) => {
    expect(parseWritePath(written, '/srv/shop')).toEqual({ path });
  });
});

describe('scopesOverlap', () => {
  it.each([
    [['src'], ['src/a.ts'], true],
    [['src/*.ts'], ['src/a.ts'], true],
    [['src/*.ts'], ['src/*.css'], false],
    [['src/a*'], ['src/b*'], false],
    [['**/*.md'], ['docs'], true],
    [['src/**/*.md'], ['docs/**'], false],
    [['src'], ['docs'], false],
    [['README.md'], ['readme.md'], true],
    [[], ['docs'], true],
    [[], [], true],
    [['a', 'b'], ['c', 'b/x'], true],
  ])('for %j and %j is %j', (one, other, expected) => {
    expect(scopesOverlap(one, other)).toBe(expected);
    expect(scopesOverlap(other, one)).toBe(expected);
  });

  it('is true whenever a file matches both scopes', () => {
    const segment = fc.constantFrom('a', 'b', 'ab', '*', 'a*', '*b', 'a?', '**', '{a,b}', '[ab]');
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    let matched = 0;
    fc.assert(
      fc.property(glob, glob, path, (one, other, file) => {
        const fits = (pattern: string) => matchesGlob(file, pattern) || matchesGlob(file, `${pattern}/**`);
        if (!fits(one) || !fits(other)) return;
        matched++;
        expect(scopesOverlap([one], [other])).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(matched).toBeGreaterThan(20);
  });
});
