import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

it('lists the tests that passed only on a retry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'adjutant-retries-'));
  const report = join(folder, 'retries.json');
  writeFileSync(
    join(folder, 'some.test.ts'),
    `let runs = 0;
     describe('a suite', () => {
       it('passes the second time', () => expect(++runs).toBe(2));
       it('passes', () => {});
       it('fails', () => expect(1).toBe(2));
     });`,
  );
  const reporter = resolve('scripts/retry-reporter.mjs');
  spawnSync(
    process.execPath,
    [resolve('node_modules/vitest/vitest.mjs'), 'run', '--globals', '--retry=2', `--reporter=${reporter}`],
    { cwd: folder, env: { PATH: process.env['PATH'], RETRY_REPORT: report } },
  );
  expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual([
    expect.stringMatching(/^some\.test\.ts > a suite > passes the second time\n {2}expected 1 to be 2/),
  ]);
  rmSync(folder, { recursive: true });
});
