import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { npm } from './npm.ts';

interface Tarball {
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
let tarball: Tarball;
let paths: readonly string[];
beforeAll(() => {
  // `prepare` has built dist already.
  const [packed] = JSON.parse(npm('.', 'pack', '--dry-run', '--json', '--ignore-scripts')) as Tarball[];
  tarball = packed!;
  paths = tarball.files.map(({ path }) => path);
});

it('the package is smaller than 3 MB, and than 9.5 MB when installed', () => {
  expect(tarball.size).toBeLessThan(3_000_000);
  expect(tarball.unpackedSize).toBeLessThan(9_500_000);
});

it('the package contains the program, its licences and its documentation', () => {
  expect(paths).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'dist/THIRD_PARTY_NOTICES',
      'dist/adjutant.cjs',
      'dist/page/index.html',
      'docs/reference/configuration.md',
      'schema/adjutant.schema.json',
    ]),
  );
  expect(
    paths.filter((path) => /^(src|test|bench|scripts|node_modules|docs\/contributing)\//.test(path)),
  ).toEqual([]);
});

it('links on a page of the package lead to files of the package', () => {
  const pages = paths.filter((path) => path.endsWith('.md'));
  expect(pages.length).toBeGreaterThan(20);
  const broken = pages.flatMap((page) => {
    const prose = readFileSync(page, 'utf8').replaceAll(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '');
    const links = [...prose.matchAll(/(!?)\[[^\]]*\]\(([^)\s:#]+)(?:#[^)\s]*)?\)/g)];
    return (
      links
        .map(([, image, target]) => ({ image, file: join(dirname(page), target!) }))
        .filter(({ file }) => !paths.includes(file))
        // Pages for contributors are in the repository only; the two lists of pages name them all the same.
        .filter(({ file }) => !(isList(page) && /^(?:CONTRIBUTING\.md|docs\/contributing\/)/.test(file)))
        // Only the README's image is in the package; the text beside the others describes them.
        .filter(({ image, file }) => !(image && page !== 'README.md' && existsSync(file)))
        .map(({ file }) => `${page}: ${file}`)
    );
  });
  expect(broken).toEqual([]);
});

function isList(page: string): boolean {
  return page === 'README.md' || page === 'docs/README.md';
}
