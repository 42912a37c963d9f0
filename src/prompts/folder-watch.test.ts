import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { plantTree, until, write } from '../../test/tree.ts';
import { FolderWatch } from './folder-watch.ts';

function watching(folders: readonly string[], options: { poll?: boolean; pollMs?: number } = {}) {
  const seen = { changes: 0 };
  const watch = new FolderWatch({ ...options, changed: () => void seen.changes++ });
  watch.set(folders);
  onTestFinished(() => watch.close());
  return { watch, seen };
}

it('tells once of many changes that come together', async () => {
  const folder = plantTree();
  const { seen } = watching([folder]);
  for (let index = 0; index < 200; index++) write(folder, { [`${index}.md`]: 'x' });
  await until(() => seen.changes > 0);
  write(folder, { 'later.md': 'x' });
  await until(() => seen.changes > 1);
  expect(seen.changes).toBe(2);
});

it('awaits a folder that is not there, however deep, and follows it when it is replaced', async () => {
  const root = plantTree();
  const wanted = join(root, 'a', 'b', 'c');
  const { seen } = watching([wanted]);
  const next = async (change: () => void) => {
    const before = seen.changes;
    change();
    await until(() => seen.changes > before);
  };
  await next(() => write(wanted, { 'x.md': 'x' }));
  await next(() => write(wanted, { 'x.md': 'changed' }));
  await next(() => rmSync(join(root, 'a'), { recursive: true }));
  await next(() => write(wanted, { 'y.md': 'y' }));
  mkdirSync(join(root, 'other'));
  await next(() => renameSync(wanted, join(root, 'other', 'c')));
  await next(() => renameSync(join(root, 'other', 'c'), wanted));
  await next(() => write(wanted, { 'z.md': 'z' }));
});

it('is not woken by what happens beside the folder it awaits', async () => {
  const root = plantTree();
  const { seen } = watching([join(root, 'awaited')]);
  write(root, { 'noise.md': 'x' });
  write(root, { 'awaited/x.md': 'x' });
  await until(() => seen.changes > 0);
  expect(seen.changes).toBe(1);
});

it('looks again and again where it is told to, and says so', async () => {
  const folder = plantTree();
  const { watch, seen } = watching([folder], { poll: true, pollMs: 10 });
  await until(() => seen.changes > 1);
  expect(watch.problems).toEqual([
    {
      file: folder,
      severity: 'warning',
      message: 'changes are looked for every 0.01 s, because watching does not work: it was told to',
    },
  ]);
});

it('looks again and again where the system cannot watch, and says so', () => {
  const folder = plantTree();
  // A process without a free file descriptor cannot watch.
  const script = `
    const { openSync } = await import('node:fs');
    const { FolderWatch } = await import(${JSON.stringify(join(import.meta.dirname, 'folder-watch.ts'))});
    const watch = new FolderWatch({ pollMs: 10, changed: () => {
      console.log(watch.problems[0].message);
      process.exit(0);
    } });
    try { for (;;) openSync('/dev/null', 'r'); } catch {}
    watch.set([${JSON.stringify(folder)}]);
    setTimeout(() => process.exit(1), 20000);`;
  const said = execFileSync(
    'bash',
    ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  expect(said).toMatch(/^changes are looked for every 0\.01 s, because watching does not work: EMFILE/);
});
