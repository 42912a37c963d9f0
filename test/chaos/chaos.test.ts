import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const proof = join(import.meta.dirname, '..', 'prove', 'chaos.ts');

it.skipIf(process.platform !== 'linux')(
  'nothing acknowledged is lost while everything fails',
  { timeout: 400_000 },
  () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [proof, '0.3'], { encoding: 'utf8' });
    expect(stdout, stderr).toContain('No problems.');
    for (const work of ['prompt edits acknowledged', 'events acknowledged', 'reminders arrived'])
      expect(stdout).toMatch(new RegExp(`^\\| ${work} \\| [1-9].* \\| [1-9]`, 'm'));
    expect(status).toBe(0);
  },
);
