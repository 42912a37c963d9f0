// Checks types, style, unused code and tests, or with --only-tests the tests. Other arguments are those of vitest. The last line
// counts the passed and failed checks; the lines above it list the tests that failed and those that passed only on a retry. In CI,
// only the output of failed tests is printed, so that a log that is cut still shows them.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'adjutant-check-'));
const report = join(folder, 'vitest.json');
const outcomeReport = join(folder, 'outcome.json');
const onlyTests = process.argv[2] === '--only-tests';
const allSteps = [
  ['types', 'tsc', []],
  ['types of the page', 'tsc', ['-p', 'src/web/page']],
  ['style', 'biome', ['check', '--error-on-warnings', '.']],
  ['unused code', 'knip', []],
  [
    'tests',
    'vitest',
    [
      'run',
      ...(process.env.CI ? ['--reporter=dot', '--silent=passed-only'] : ['--reporter=default']),
      '--reporter=json',
      '--reporter=./scripts/outcome-reporter.mjs',
      `--outputFile=${report}`,
      ...process.argv.slice(onlyTests ? 3 : 2),
    ],
  ],
];
const steps = onlyTests ? allSteps.slice(-1) : allSteps;
let passed = 0;
let failed = 0;
let outcome = { failed: [], retried: [] };
/** Starts a step. The first steps run at the same time, so their output waits for their turn. */
const start = ([name, program, args]) => {
  const child = spawn(program, args, {
    stdio: name === 'tests' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    env: {
      ...process.env,
      OUTCOME_REPORT: outcomeReport,
      ...(process.stdout.isTTY && name !== 'tests' && { FORCE_COLOR: '1' }),
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ status: 1, output: `${error.message}\n` }));
    child.on('close', (status) => resolve({ status, output }));
  });
};
const started = new Map(steps.filter(([name]) => name !== 'tests').map((step) => [step, start(step)]));
for (const step of steps) {
  const [name] = step;
  if (name === 'tests') await Promise.all(started.values());
  process.stdout.write(`\n── ${name}\n`);
  const { status, output } = await (started.get(step) ?? start(step));
  process.stdout.write(output);
  if (name !== 'tests') {
    if (status === 0) passed += 1;
    else failed += 1;
    continue;
  }
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed += result.numPassedTests;
    failed += result.numFailedTests;
    outcome = JSON.parse(readFileSync(outcomeReport, 'utf8'));
    // A test file that does not load, or a crash between tests, does not count as a failed test.
    if (status !== 0 && result.numFailedTests === 0) failed += 1;
  } catch {
    failed += 1;
  }
}
rmSync(folder, { recursive: true, force: true });
process.stdout.write('\n── retries\n');
for (const test of outcome.retried) process.stdout.write(`${test}\n`);
process.stdout.write(`${outcome.retried.length} passed only on a retry\n`);
if (outcome.failed.length > 0) process.stdout.write('\n── failures\n');
for (const test of outcome.failed) process.stdout.write(`${test}\n`);
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
