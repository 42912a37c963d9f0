import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

/** The Node that started npm, which need not be the one that the clone brought. */
const outside = process.env['npm_node_execpath'];
const outsideVersion =
  outside === undefined ? '' : execFileSync(outside, ['--version'], { encoding: 'utf8' }).trim();
const isOld = Number(/^v(\d+)/.exec(outsideVersion)?.[1] ?? 24) < 24;

function expectRefusal(command: string, args: readonly string[], version: string): void {
  const { status, stdout, stderr } = spawnSync(command, [...args, bundle, 'serve'], {
    encoding: 'utf8',
    input: '',
  });
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain(`needs Node 24 or newer; this is ${version}`);
}

describe('on a Node that is too old, the installed program says what it needs and ends', () => {
  it('by what Node says of itself', () => {
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-old-node-'));
    const preload = join(folder, 'older.cjs');
    writeFileSync(
      preload,
      `Object.defineProperty(process, 'version', { value: 'v18.20.0' });
       Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } });`,
    );
    expectRefusal(process.execPath, ['--require', preload], 'v18.20.0');
    rmSync(folder, { recursive: true });
  });

  it.runIf(isOld)('by the Node of this machine', () => expectRefusal(outside!, [], outsideVersion));
});
