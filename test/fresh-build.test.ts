import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

// A script has no types.
const { isOld }: { readonly isOld: (clone: string) => boolean } = await import(
  String(new URL('../scripts/fresh-build.mjs', import.meta.url))
);

let clone: string;
const at = (...parts: readonly string[]) => join(clone, ...parts);
const [earlier, buildTime, later] = [1_000, 2_000, 3_000];
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'clone-'));
  for (const folder of ['src/feature', 'scripts', 'dist']) mkdirSync(at(folder), { recursive: true });
  for (const file of ['src/feature/a.ts', 'scripts/build.mjs', 'package.json']) writeFileSync(at(file), '');
  for (const path of [
    'src/feature/a.ts',
    'src/feature',
    'src',
    'scripts/build.mjs',
    'scripts',
    'package.json',
  ])
    utimesSync(at(path), earlier, earlier);
  writeFileSync(at('dist/adjutant.cjs'), '');
  utimesSync(at('dist/adjutant.cjs'), buildTime, buildTime);
});
afterEach(() => rmSync(clone, { recursive: true }));

it('a build that is newer than its sources is kept', () => {
  expect(isOld(clone)).toBe(false);
});

it.each(['src/feature/a.ts', 'scripts/build.mjs', 'package.json'])(
  'a change of %s makes a build old',
  (file) => {
    utimesSync(at(file), later, later);
    expect(isOld(clone)).toBe(true);
  },
);

it('a deleted source file makes a build old', () => {
  rmSync(at('src/feature/a.ts'));
  expect(isOld(clone)).toBe(true);
});

it('a build without a launcher was interrupted, and is old', () => {
  rmSync(at('dist/adjutant.cjs'));
  expect(isOld(clone)).toBe(true);
});
