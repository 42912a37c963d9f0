import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { plantTree, until, write } from '../../../test/tree.ts';
import { FolderWatch } from './folder-watch.ts';

function watching(folders: readonly string[], options: { poll?: boolean; pollMs?: number } = {}) {
  const seen = { changes: 0 };
  const watch = new FolderWatch({ ...options, changed: () => void seen.changes++ });
  watch.set(folders);
  onTestFinished(() => watch.close());
  return { watch, seen };
}

it('reports many simultaneous changes once', async () => {
  const folder = plantTree();
  const { seen } = watching([folder]);
  for (let index = 0; index < 200; index++) write(folder, { [`${index}.md`]: 'x' });
  await until(() => seen.changes > 0);
  write(folder, { 'later.md': 'x' });
  await until(() => seen.changes > 1);
  expect(seen.changes).toBe(2);
});

it('waits for a missing folder at any depth, and keeps watching after it is replaced', async () => {
  const root = plantTree();
  const folder = join(root, 'a', 'b', 'c');
  const { seen } = watching([folder]);
  const next = async (change: () => void) => {
    const before = seen.changes;
    change();
    await until(() => seen.changes > before);
  };
  await next(() => write(folder, { 'x.md': 'x' }));
  await next(() => write(folder, { 'x.md': 'changed' }));
  await next(() => rmSync(join(root, 'a'), { recursive: true }));
  await next(() => write(folder, { 'y.md': 'y' }));
  mkdirSync(join(root, 'other'));
  await next(() => renameSync(folder, join(root, 'other', 'c')));
  await next(() => renameSync(join(root, 'other', 'c'), folder));
  await next(() => write(folder, { 'z.md': 'z' }));
});

/** Makes a change and waits until it is reported. */
async function changeAndWait(seen: { changes: number }, change: () => void): Promise<void> {
  const before = seen.changes;
  change();
  await until(() => seen.changes > before);
}

/** Waits until all earlier changes are reported, then checks that a new change in the folder is reported too. */
async function expectStillReports(seen: { changes: number }, folder: string): Promise<void> {
  let before: number;
  do {
    before = seen.changes;
    await new Promise((resolve) => setTimeout(resolve, 400));
  } while (seen.changes > before);
  await changeAndWait(seen, () => write(folder, { 'last.md': 'x' }));
}

it('reports changes after a folder was replaced by renaming another one', async () => {
  const root = plantTree({ 'library/x.md': 'x', 'next/x.md': 'other' });
  const folder = join(root, 'library');
  const { seen } = watching([folder]);
  await changeAndWait(seen, () => {
    renameSync(folder, join(root, 'old'));
    renameSync(join(root, 'next'), folder);
  });
  await expectStillReports(seen, folder);
});

it('reports changes after a parent folder was replaced by renaming', async () => {
  const root = plantTree({ 'home/a/library/x.md': 'x', 'next/a/library/x.md': 'other' });
  const folder = join(root, 'home', 'a', 'library');
  const { seen } = watching([folder]);
  await changeAndWait(seen, () => {
    renameSync(join(root, 'home'), join(root, 'old'));
    renameSync(join(root, 'next'), join(root, 'home'));
  });
  await expectStillReports(seen, folder);
});

it('reports changes after a symbolic link got a new target', async () => {
  const root = plantTree({ 'one/sub/x.md': 'x', 'two/sub/x.md': 'other' });
  const link = join(root, 'link');
  symlinkSync(join(root, 'one'), link);
  const folder = join(link, 'sub');
  const { seen } = watching([link, folder]);
  await changeAndWait(seen, () => {
    symlinkSync('two', join(root, 'link.new'));
    renameSync(join(root, 'link.new'), link);
  });
  await expectStillReports(seen, join(root, 'two', 'sub'));
  await expectStillReports(seen, join(root, 'two'));
});

it('reports changes after the target of a symbolic link was replaced', async () => {
  const root = plantTree({ 'data/one/x.md': 'x', 'data/two/x.md': 'other' });
  symlinkSync(join(root, 'data', 'one'), join(root, 'link'));
  const { seen } = watching([join(root, 'link')]);
  await changeAndWait(seen, () => {
    rmSync(join(root, 'data', 'one'), { recursive: true });
    renameSync(join(root, 'data', 'two'), join(root, 'data', 'one'));
  });
  await expectStillReports(seen, join(root, 'link'));
});

it('reports changes after a folder was deleted and immediately created again', async () => {
  const root = plantTree({ 'library/x.md': 'x' });
  const folder = join(root, 'library');
  const { seen } = watching([folder]);
  await changeAndWait(seen, () => {
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  });
  await expectStillReports(seen, folder);
});

it('waits for two missing folders with the same parent', async () => {
  const root = plantTree();
  const { seen } = watching([join(root, 'first'), join(root, 'second')]);
  await changeAndWait(seen, () => write(root, { 'first/x.md': 'x' }));
  await expectStillReports(seen, join(root, 'first'));
});

it('ignores changes next to the missing folder it waits for', async () => {
  const root = plantTree();
  const { seen } = watching([join(root, 'awaited')]);
  write(root, { 'noise.md': 'x' });
  write(root, { 'awaited/x.md': 'x' });
  await until(() => seen.changes > 0);
  expect(seen.changes).toBe(1);
});

it('polls if it is configured to, and reports that as a problem', async () => {
  const folder = plantTree();
  const { watch, seen } = watching([folder], { poll: true, pollMs: 10 });
  await until(() => seen.changes > 1);
  expect(watch.problems).toEqual([
    {
      file: folder,
      severity: 'warning',
      message: 'polling for changes every 0.01 s: polling is enabled in the settings',
    },
  ]);
});

it('polls if the system cannot watch folders, and reports that as a problem', () => {
  const folder = plantTree();
  // The process cannot watch a folder because it has no free file descriptor.
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
  const output = execFileSync(
    'bash',
    ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, script],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  expect(output).toMatch(/^polling for changes every 0\.01 s: the folder cannot be watched: EMFILE/);
});
