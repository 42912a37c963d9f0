import { expect, it } from 'vitest';
import { treeOf } from '../../src/web/page/runs/file-tree.ts';

const drawn = (...paths: readonly string[]) =>
  treeOf(paths).map(({ label, depth, path }) => `${'  '.repeat(depth)}${label}${path ? '' : '/'}`);

it('a tree of files › shows folders before files, and folders without files of their own as one row', () => {
  expect(drawn('README.md', 'src/tides.js', 'src/deep/down/here.js', 'src/deep/down/there.js')).toEqual([
    'src/',
    '  deep/down/',
    '    here.js',
    '    there.js',
    '  tides.js',
    'README.md',
  ]);
});

it('a tree of files › of hostile names › has each file once', () => {
  const paths = ['a', 'a/b', '/x', '__proto__/y', 'constructor'];
  const files = treeOf(paths).flatMap(({ path }) => path ?? []);
  expect(files.toSorted()).toEqual(paths.toSorted());
});
