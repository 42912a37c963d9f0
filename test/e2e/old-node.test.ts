import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../program.ts';

/** The Node that started npm. It can be older than the one in node_modules. */
const systemNode = process.env['npm_node_execpath'];
const systemVersion =
  systemNode === undefined ? '' : execFileSync(systemNode, ['--version'], { encoding: 'utf8' }).trim();
const isOld = Number(/^v(\d+)/.exec(systemVersion)?.[1] ?? 24) < 24;

function expectRefusal(command: string, args: readonly string[], version: string): void {
  const { status, stdout, stderr } = spawnSync(command, [...args, bundle, 'serve'], {
    encoding: 'utf8',
    input: '',
  });
  expect(status).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain(`needs Node 24 or newer; this is ${version}`);
}

describe('on an old Node, the installed program names the required version and exits', () => {
  it('with a simulated version', () => {
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

  it.runIf(isOld)('with the Node of this machine', () => expectRefusal(systemNode!, [], systemVersion));
});
