import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editedFiles, omittedFiles, parsePatch } from '../../src/web/page/runs/patch.ts';

describe('an invalid or truncated patch', () => {
  it.each(['', '\n', 'Nothing to see here.\n', '@@ -1 +1 @@\n-a\n+b\n', '--- a line of dashes\n'])(
    'contains no files: %j',
    (text) => {
      expect(parsePatch(text)).toEqual([]);
    },
  );

  it('is parsed up to the point where it was truncated', () => {
    const [file] = parsePatch('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n one\n-tw');
    expect(file).toMatchObject({ path: 'x', added: 0, removed: 1 });
  });
});

describe('a handwritten patch', () => {
  it('may remove and add lines that look like headers', () => {
    const [file, ...others] = parsePatch(
      'diff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -4,2 +4,2 @@ begin\n--- old remark\n+++ new remark\n same\n',
    );
    expect(others).toEqual([]);
    expect(file!.hunks).toMatchObject([
      {
        heading: '3 unchanged lines · begin',
        lines: [
          { kind: 'removed', text: '-- old remark', before: 4 },
          { kind: 'added', text: '++ new remark', after: 4 },
          { kind: 'same', text: 'same', before: 5, after: 5 },
        ],
      },
    ]);
  });

  it('includes binary files that are listed only in comments', () => {
    const text = [
      '# Binary files /dev/null and b/salt and pepper.bin differ',
      '# Binary files a/gone.bin and /dev/null differ',
      '# Binary files a/black and white.png and b/black and white.png differ',
      '# a/old.txt b/old.txt: not in UTF-8',
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1 +1 @@',
      '-# Binary files a/no and b/no differ',
      '+y',
      '# 3 more files were changed; evidence.json names them.',
      '',
    ].join('\n');
    expect(parsePatch(text).map(({ path, change, binary }) => `${path} ${change} ${binary}`)).toEqual([
      'salt and pepper.bin added true',
      'gone.bin removed true',
      'black and white.png changed true',
      'old.txt changed true',
      'x changed false',
    ]);
    expect(omittedFiles(text)).toBe('3 more files were changed; evidence.json names them.');
    expect(omittedFiles('+# 3 more files were changed\n')).toBeUndefined();
  });

  it('may use the format of diff -u, with timestamps after the names', () => {
    const text =
      '--- one.txt\t2026-01-01 00:00:00\n+++ one.txt\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n--- two.txt\n+++ two.txt\n@@ -0,0 +1 @@\n+c\n';
    expect(parsePatch(text)).toMatchObject([
      { path: 'one.txt', added: 1, removed: 1 },
      { path: 'two.txt', added: 1, removed: 0 },
    ]);
  });

  it('may contain CRLF line endings and empty context lines without their leading space', () => {
    const [file] = parsePatch('--- a/x\r\n+++ b/x\r\n@@ -1,3 +1,3 @@\r\n-a\r\n+b\r\n\r\n c\r\n');
    expect(file!.hunks[0]!.lines.map(({ kind, text }) => `${kind}:${text}`)).toEqual([
      'removed:a',
      'added:b',
      'same:',
      'same:c',
    ]);
  });
});

describe('a patch made by git', () => {
  it('reports every kind of file change', () => {
    const files = parsePatch(gitPatch());
    const summary = files.map(({ path, from, change, binary, added, removed, notes }) => ({
      path,
      ...(from !== undefined && { from }),
      change: `${change}${binary ? ' binary' : ''} +${added} -${removed}`,
      notes,
    }));
    expect(summary).toEqual([
      { path: 'changed.txt', change: 'changed +1 -1', notes: [] },
      { path: 'gone with blanks.txt', change: 'removed +0 -1', notes: [] },
      { path: 'logo.png', change: 'added binary +0 -0', notes: [] },
      { path: 'new name.txt', from: 'old name.txt', change: 'renamed +0 -0', notes: [] },
      { path: 'run.sh', change: 'changed +0 -0', notes: ['File mode changed to 100755.'] },
      { path: 'ä"b.txt', change: 'added +1 -0', notes: [] },
    ]);
    expect(files[0]!.hunks[0]!.lines.at(-1)).toEqual({ kind: 'note', text: 'No newline at end of file' });
  });
});

/** Runs git in a folder with every kind of file change and returns the diff. */
function gitPatch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-patch-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
      cwd: folder,
      stdio: 'pipe',
    }).toString();
  const write = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  try {
    git('init', '-q');
    write('changed.txt', 'one\ntwo');
    write('gone with blanks.txt', 'gone\n');
    write('old name.txt', 'the same text before and after\n'.repeat(5));
    write('run.sh', '#!/bin/sh\n');
    git('add', '-A');
    git('commit', '-qm', 'first');
    write('changed.txt', 'one\nthree');
    rmSync(join(folder, 'gone with blanks.txt'));
    write('logo.png', Buffer.from([0x89, 0x50, 0, 0, 1, 2, 3]));
    renameSync(join(folder, 'old name.txt'), join(folder, 'new name.txt'));
    write('ä"b.txt', 'x\n');
    git('add', '-A');
    git('update-index', '--chmod=+x', 'run.sh');
    return git('diff', '--cached', '--binary', '--full-index', '-M');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the edits of a step', () => {
  it('are the lines of each file, whose paths stand above them', () => {
    const edits = editedFiles(
      'update src/a.js, add new.txt, delete old.txt, update b.bin',
      'src/a.js\n@@ -4,2 +4,2 @@\n-low\n+high\n same\nnew.txt\n+one\n+two\nold.txt\n-gone',
    );
    expect(edits).toMatchObject([
      { path: 'src/a.js', change: 'changed', added: 1, removed: 1 },
      { path: 'new.txt', change: 'added', added: 2, removed: 0 },
      { path: 'old.txt', change: 'removed', added: 0, removed: 1 },
      { path: 'b.bin', change: 'changed', hunks: [] },
    ]);
    expect(edits[0]!.hunks[0]!.lines[1]).toEqual({ kind: 'added', text: 'high', after: 4 });
  });

  it('are those of the only file without its path', () => {
    const [edit] = editedFiles('update a, b', '@@ -1 +1 @@\n-low\n+high');
    expect(edit).toMatchObject({ path: 'a, b', added: 1, removed: 1 });
    expect(editedFiles('update a.txt', '')).toMatchObject([{ path: 'a.txt', hunks: [] }]);
  });
});
