import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { withFolderTable } from '../scripts/folder-table.ts';
import {
  commandReference,
  configurationReference,
  standardFeatures,
  toolReference,
  toolTable,
  withChannelTable,
  withFormatTable,
  withScopeTable,
} from '../scripts/reference-pages.ts';
import type { Feature } from '../src/feature.ts';
import type { Tool } from '../src/tool.ts';

let features: readonly Feature[];
let tools: readonly Tool[];
beforeAll(async () => {
  features = await standardFeatures();
  tools = features.flatMap((feature) => feature.tools ?? []);
});

it('docs/reference/configuration.md matches the settings (npm run reference updates it)', () => {
  expect(readFileSync('docs/reference/configuration.md', 'utf8')).toBe(configurationReference());
});

it('docs/reference/cli.md matches the commands (npm run reference updates it)', {
  timeout: 120_000,
}, async () => {
  expect(readFileSync('docs/reference/cli.md', 'utf8')).toBe(await commandReference());
});

it('docs/reference/tools.md matches the tools (npm run reference updates it)', () => {
  expect(readFileSync('docs/reference/tools.md', 'utf8')).toBe(toolReference(features));
});

it('docs/explanation/security.md has the scopes of every tool (npm run reference updates it)', () => {
  const page = readFileSync('docs/explanation/security.md', 'utf8');
  expect(page).toBe(withScopeTable(page, tools));
});

it('src/toolsets/tools.json matches the tools (npm run reference updates it)', () => {
  expect(readFileSync('src/toolsets/tools.json', 'utf8')).toBe(toolTable(tools));
});

it('docs/reference/delivery.md has every channel (npm run reference updates it)', () => {
  const page = readFileSync('docs/reference/delivery.md', 'utf8');
  expect(page).toBe(withChannelTable(page));
});

it('docs/guides/use-prompts-from-other-clients.md has every format (npm run reference updates it)', async () => {
  const page = readFileSync('docs/guides/use-prompts-from-other-clients.md', 'utf8');
  expect(page).toBe(await withFormatTable(page));
});

it('docs/contributing/architecture.md lists every folder of src with its contents (npm run reference updates it)', () => {
  const page = readFileSync('docs/contributing/architecture.md', 'utf8');
  expect(page).toBe(withFolderTable(page));
  expect(page).not.toContain('TODO');
});
