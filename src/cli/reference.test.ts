import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationReference, toolReference } from './reference.ts';
import { withScopeTable } from './scope-table.ts';

it('docs/configuration.md matches the settings (npm run reference updates it)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationReference());
});

it('docs/tools.md matches the tools (npm run reference updates it)', async () => {
  expect(readFileSync('docs/tools.md', 'utf8')).toBe(await toolReference());
});

it('docs/security.md has the scopes of every tool (npm run reference updates it)', () => {
  const page = readFileSync('docs/security.md', 'utf8');
  expect(page).toBe(withScopeTable(page));
});
