import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { blocksOf } from './docs-block.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

it('the code of the walkthroughs in CONTRIBUTING.md compiles with the source', {
  timeout: 180_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'contributing-'));
  for (const name of ['src', 'tsconfig.json', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const blocks = blocksOf(join(root, 'CONTRIBUTING.md')).filter(({ language }) => language === 'ts');
  expect(blocks.length).toBeGreaterThanOrEqual(5);
  for (const { file, text } of blocks) {
    const path = join(folder, file!);
    // A block for an existing file is a line of its list.
    if (existsSync(path)) appendFileSync(path, text);
    else writeFileSync(path, text);
  }
  const settings = {
    extends: './tsconfig.json',
    include: ['src'],
    exclude: ['src/**/*.test.ts', 'src/web/page'],
  };
  writeFileSync(join(folder, 'tsconfig.walkthrough.json'), JSON.stringify(settings));
  const compiler = join(root, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run(compiler, ['-p', 'tsconfig.walkthrough.json'], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
