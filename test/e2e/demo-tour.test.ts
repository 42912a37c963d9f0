import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { bundle } from '../program.ts';

const run = promisify(execFile);

it('shows a prompt, a run and a delivered reminder, and leaves nothing behind', async () => {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-tour-test-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const env = { ...process.env, TMPDIR: home, ADJUTANT_HOME: join(home, 'own') };
  const { stdout, stderr } = await run(process.execPath, [bundle, 'demo', '--tour'], { env });
  expect(stderr).toBe('');
  expect(stdout).toContain('$ adjutant prompts render demo-research input="tidal power"');
  expect(stdout).toContain('Topic: tidal power');
  expect(stdout).toContain('tides: $ node --check tides.js → 0');
  expect(stdout).toContain('Subject: Call with Grace');
  expect(stdout).toContain('Why: 30 minutes before; your reminder for this event');
  // The folder of sockets and Node's compile cache belong to the machine.
  expect(readdirSync(home).filter((name) => /tour|own/.test(name))).toEqual([]);
});

it.each([
  [['remove', '--tour'], '--tour cannot be used with demo remove'],
  [['--tour', '--json'], 'leave out --json'],
])('refuses %j', async (args, message) => {
  await expect(run(process.execPath, [bundle, 'demo', ...args])).rejects.toMatchObject({ code: 2 });
  await expect(run(process.execPath, [bundle, 'demo', ...args])).rejects.toSatisfy((error) =>
    `${(error as { stderr: string }).stderr}${(error as { stdout: string }).stdout}`.includes(message),
  );
});
