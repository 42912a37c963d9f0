import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeFolder } from '../workspace/remove-folder.ts';
import { settleRun } from '../workspace/settle.ts';
import { Workspace } from '../workspace/workspace.ts';
import { diffRun } from './run-changes.ts';

const root = mkdtempSync(join(tmpdir(), 'adjutant-diff-'));
afterAll(() => removeFolder(root));

it('the diff of a run with too many files says so, and shows those that are named', {
  timeout: 60_000,
}, async () => {
  const [folder, directory, stateDir] = ['project', 'run', 'state'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(folder);
  const env = { PATH: process.env['PATH'], HOME: root };
  const options = { stateDir, env, ignored: [], copyLimitBytes: 1e9, workspaceKinds: ['copy'] as const };
  const workspace = await Workspace.create({ id: 'r1', path: directory }, folder, options);
  for (let at = 0; at <= 3_000; at += 1) writeFileSync(join(workspace.folder, `f${at}`), 'new\n');
  await settleRun(workspace, { run: 'r1', stateDir, env, end: 'keep', claims: [] });
  const show = (paths?: readonly string[]) =>
    diffRun({ id: 'r1', directory, paths }, '', { queueFile: join(stateDir, 'runs.sqlite'), env });
  const { patch, files, state } = await show();
  expect([files.length, state]).toEqual([3_001, 'waiting']);
  expect(patch).toMatch(/^# More than 3000 files were changed/);
  expect((await show(['f7'])).patch).toContain('+new');
});
