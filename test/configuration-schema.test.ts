import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { Check } from 'typebox/schema';
import { describe, expect, it, onTestFinished } from 'vitest';
import { configurationSchema } from '../scripts/reference-pages.ts';
import { loadConfig } from '../src/config.ts';

const schema = configurationSchema();

/** True if the program starts with the file. */
async function isLoaded(file: string): Promise<boolean> {
  const home = mkdtempSync(join(tmpdir(), 'adjutant-schema-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  writeFileSync(join(home, 'adjutant.toml'), file);
  return loadConfig({ argv: ['--home', home], env: { HOME: home }, cwd: home }).then(
    () => true,
    () => false,
  );
}

it('schema/adjutant.schema.json matches the settings (npm run reference updates it)', () => {
  const text = readFileSync('schema/adjutant.schema.json', 'utf8');
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(schema)));
});

describe('the schema accepts a file if the program does', () => {
  it.each([
    ['an empty file', '', true],
    ['a choice', 'contract = "twig"', true],
    ['an unknown choice', 'contract = "twigs"', false],
    ['a number', '[http]\nport = 0', true],
    ['a number above the maximum', '[http]\nport = 65536', false],
    ['a fraction', '[http]\nport = 1.5', false],
    ['an unknown key', 'contracts = "twig"', false],
    ['an unknown key of a table', '[http]\nports = 1', false],
    ['an unknown table', '[https]\nport = 1', false],
    ['a key that only flags can set', 'home = "/tmp"', false],
    ['an address', '[delivery]\nsmtp_url = "smtps://mail.example.com"', true],
    ['an address with another scheme', '[delivery]\nsmtp_url = "https://mail.example.com"', false],
    ['a boolean', '[delivery]\nwith_server = false', true],
    ['a list', '[http]\nallowed_hosts = ["example.com"]', true],
    ['a list of numbers', '[http]\nallowed_hosts = [1]', false],
    ['an empty path', '[commands]\ndir = ""', false],
    ['a structure', '[[prompts.mounts]]\nformat = "claude-code"\npath = "x"', true],
    ['an incomplete structure', '[[prompts.mounts]]\nformat = "claude-code"', false],
  ])('%s', async (_, file, accepted) => {
    expect(await isLoaded(file)).toBe(accepted);
    expect(Check(schema, parse(file))).toBe(accepted);
  });
});

const examples = globSync(['README.md', 'docs/**/*.md']).flatMap((page) =>
  [...readFileSync(page, 'utf8').matchAll(/^```toml adjutant\.toml\n([\s\S]*?)^```$/gm)].map(
    ([, file], index) => ({ name: `${page}, example ${index + 1}`, file: file! }),
  ),
);
it.each(examples)('the schema accepts the configuration of $name', ({ file }) => {
  expect(Check(schema, parse(file))).toBe(true);
});
