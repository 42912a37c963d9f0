import { expect, it } from 'vitest';
import { withSetting, withTable } from './file-edit.ts';

const file = '# mine\nlog_level = "warning" # quiet\n\n[http]\nport = 7400\n\n[delegate]\nagent = "claude"\n';

it.each([
  ['', 'log_level', 'error', 'log_level = "error"\n'],
  ['', 'http.port', 1, '[http]\nport = 1\n'],
  [file, 'http.port', 8080, file.replace('7400', '8080')],
  [file, 'http.host', '::1', file.replace('7400\n', '7400\nhost = "::1"\n')],
  [file, 'read_only', true, file.replace('quiet\n', 'quiet\nread_only = true\n')],
  [file, 'delegate.agent', undefined, file.replace('agent = "claude"\n', '')],
  [file, 'audit.days', 3, `${file}\n[audit]\ndays = 3\n`],
  [file, 'audit.days', undefined, file],
])('changes only its own line: %j, %s = %j', async (text, name, value, expected) => {
  expect(await withSetting(text, name, value)).toBe(expected);
});

it.each([
  ['http = { port = 1 }\n', 'http.port'],
  ['toolsets = [\n  "prompts",\n]\n', 'toolsets'],
  ['http.port = 1\n', 'http.port'],
])('refuses a file that it would damage: %j', async (text, name) => {
  await expect(withSetting(text, name, 2)).rejects.toThrow('change it by hand');
});

const mount = { format: 'fabric', path: '/p' };

it.each([
  ['', '[[prompts.mounts]]\nformat = "fabric"\npath = "/p"\n'],
  [file, `${file}\n[[prompts.mounts]]\nformat = "fabric"\npath = "/p"\n`],
])('adds a table to a list, and keeps all other lines: %j', async (text, expected) => {
  expect(await withTable(text, 'prompts.mounts', mount)).toBe(expected);
});

it('refuses to add a table to a list in one line', async () => {
  await expect(withTable('[prompts]\nmounts = []\n', 'prompts.mounts', mount)).rejects.toThrow(
    'change it by hand:\n[[prompts.mounts]]\nformat = "fabric"',
  );
});
