import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

it('lists the tests that failed and those that passed only on a retry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-outcome-'));
  const report = join(folder, 'outcome.json');
  writeFileSync(
    join(folder, 'some.test.ts'),
    `let runs = 0;
     describe('a suite', () => {
       it('passes the second time', () => expect(++runs).toBe(2));
       it('passes', () => {});
       it('fails', () => expect(1).toBe(2));
     });`,
  );
  writeFileSync(join(folder, 'broken.test.ts'), `throw new Error('no such library');`);
  const reporter = resolve('scripts/outcome-reporter.mjs');
  spawnSync(
    process.execPath,
    [resolve('node_modules/vitest/vitest.mjs'), 'run', '--globals', '--retry=2', `--reporter=${reporter}`],
    { cwd: folder, env: { PATH: process.env['PATH'], OUTCOME_REPORT: report } },
  );
  expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual({
    failed: [
      expect.stringMatching(/^some\.test\.ts > a suite > fails\n {2}expected 1 to be 2/),
      expect.stringMatching(/^broken\.test\.ts\n {2}no such library/),
    ],
    retried: [
      expect.stringMatching(/^some\.test\.ts > a suite > passes the second time\n {2}expected 1 to be 2/),
    ],
  });
  rmSync(folder, { recursive: true });
});
