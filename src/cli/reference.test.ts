import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { configurationReference, toolReference } from './reference.ts';

it('docs/configuration.md is what the settings say (npm run reference)', () => {
  expect(readFileSync('docs/configuration.md', 'utf8')).toBe(configurationReference());
});

it('docs/tools.md is what the tools say (npm run reference)', async () => {
  expect(readFileSync('docs/tools.md', 'utf8')).toBe(await toolReference());
});
