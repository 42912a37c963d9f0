import { readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

it('tests have a temporary folder that other users cannot read or write', () => {
  expect(basename(tmpdir())).toMatch(/^adjutant-tests-/);
  const { mode, uid } = statSync(tmpdir());
  expect(uid).toBe(process.getuid?.() ?? uid);
  expect(mode & 0o066).toBe(0);
});

it('tests do not see the settings of the user who runs them', () => {
  const left = Object.keys(process.env).filter((name) => /^(ADJUTANT_|CODEX_|XDG_|LC_)/.test(name));
  expect(left).toEqual([]);
  expect(process.env['TZ']).toBe('UTC');
  expect(process.env['GIT_CONFIG_GLOBAL']).toBe(join(tmpdir(), 'gitconfig'));
  expect(readFileSync(process.env['GIT_CONFIG_GLOBAL']!, 'utf8')).not.toContain('user');
});
