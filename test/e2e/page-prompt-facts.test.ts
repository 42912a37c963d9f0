import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const { home } = server;
const writeHaiku = (text: string) =>
  writeFileSync(
    join(home, 'commands', 'haiku.md'),
    `---
description: Writes a haiku.
tests:
  - name: names the topic
    arguments: { input: owls }
    contains: owls
  - name: is polite
    arguments: { input: owls }
    contains: please
---
${text}
`,
  );
const adjutant = (...args: readonly string[]) =>
  execFileSync(process.execPath, [bundle, 'prompts', ...args, '--home', home], {
    env: { ...process.env, HOME: home },
    encoding: 'utf8',
  });

beforeAll(async () => {
  mkdirSync(join(home, 'commands'));
  writeHaiku('Write a haiku about {{input}}.');
  for (const topic of ['ebb', 'flow']) adjutant('render', 'haiku', `input=${topic}`);
  await server.start();
});
afterAll(() => server.stop());

it('shows the labels, the use and the tests of a prompt, and runs the tests again after a change', async () => {
  const page = await server.open();
  await page.getByRole('link', { name: 'haiku' }).click();
  const detail = page.getByRole('region', { name: 'Prompt', exact: true });
  const tests = page.getByRole('region', { name: 'Tests' });
  await page.getByLabel(/^input/).fill('tides');
  await shows(page, 'Write a haiku about tides.');
  // A preview on the page is not a use.
  await detail.getByText(/^Used 2 times in 30 days, last on \d{4}-\d\d-\d\d$/).waitFor();
  await tests.getByRole('button', { name: 'Run 2 tests' }).click();
  await tests.getByRole('status').getByText('1 passed, 1 failed, 0 skipped').waitFor();
  await tests.locator('.problem').getByText('is polite: failed').waitFor();
  expect(await seriousViolations(page)).toEqual([]);

  adjutant('label', 'haiku', 'staging');
  writeHaiku('Write a haiku about {{input}}, please.');
  // The result of the tests belonged to the old text.
  await tests.getByRole('status').waitFor({ state: 'detached' });
  await detail.getByText('@staging', { exact: true }).waitFor();
  await tests.getByRole('button', { name: 'Run 2 tests' }).click();
  await tests.getByRole('status').getByText('2 passed, 0 failed, 0 skipped').waitFor();
});
