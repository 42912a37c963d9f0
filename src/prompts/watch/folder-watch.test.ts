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

/** Makes a change and waits until it is reported. */
async function reported(seen: { changes: number }, change: () => void): Promise<void> {
  const before = seen.changes;
  change();
  await until(() => seen.changes > before);
}

/** A change in the folder is still reported after everything that happened before has been. */
async function stillReports(seen: { changes: number }, folder: string): Promise<void> {
  let before: number;
  do {
    before = seen.changes;
    await new Promise((resolve) => setTimeout(resolve, 400));
  } while (seen.changes > before);
  await reported(seen, () => write(folder, { 'last.md': 'x' }));
}

it('reports changes after a folder was replaced by renaming another one', async () => {
  const root = plantTree({ 'library/x.md': 'x', 'next/x.md': 'other' });
  const wanted = join(root, 'library');
  const { seen } = watching([wanted]);
  await reported(seen, () => {
    renameSync(wanted, join(root, 'old'));
    renameSync(join(root, 'next'), wanted);
  });
  await stillReports(seen, wanted);
});

it('reports changes after a folder further up was replaced by renaming', async () => {
  const root = plantTree({ 'home/a/library/x.md': 'x', 'next/a/library/x.md': 'other' });
  const wanted = join(root, 'home', 'a', 'library');
  const { seen } = watching([wanted]);
  await reported(seen, () => {
    renameSync(join(root, 'home'), join(root, 'old'));
    renameSync(join(root, 'next'), join(root, 'home'));
  });
  await stillReports(seen, wanted);
});

it('reports changes after a link was retargeted', async () => {
  const root = plantTree({ 'one/sub/x.md': 'x', 'two/sub/x.md': 'other' });
  const link = join(root, 'link');
  symlinkSync(join(root, 'one'), link);
  const wanted = join(link, 'sub');
  const { seen } = watching([link, wanted]);
  await reported(seen, () => {
    symlinkSync('two', join(root, 'link.new'));
    renameSync(join(root, 'link.new'), link);
  });
  await stillReports(seen, join(root, 'two', 'sub'));
  await stillReports(seen, join(root, 'two'));
});

it('reports changes after the target of a link was replaced', async () => {
  const root = plantTree({ 'data/one/x.md': 'x', 'data/two/x.md': 'other' });
  symlinkSync(join(root, 'data', 'one'), join(root, 'link'));
  const { seen } = watching([join(root, 'link')]);
  await reported(seen, () => {
    rmSync(join(root, 'data', 'one'), { recursive: true });
    renameSync(join(root, 'data', 'two'), join(root, 'data', 'one'));
  });
  await stillReports(seen, join(root, 'link'));
});

it('reports changes after a folder was deleted and created again at once', async () => {
  const root = plantTree({ 'library/x.md': 'x' });
  const wanted = join(root, 'library');
  const { seen } = watching([wanted]);
  await reported(seen, () => {
    rmSync(wanted, { recursive: true });
    mkdirSync(wanted);
  });
  await stillReports(seen, wanted);
});

it('awaits two missing folders with the same parent', async () => {
  const root = plantTree();
  const { seen } = watching([join(root, 'first'), join(root, 'second')]);
  await reported(seen, () => write(root, { 'first/x.md': 'x' }));
  await stillReports(seen, join(root, 'first'));
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
