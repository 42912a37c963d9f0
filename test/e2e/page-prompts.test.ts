import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { unzip } from '../unzip.ts';

const server = new PageServer();
const { home } = server;
const open = () => server.open();

beforeAll(async () => {
  mkdirSync(join(home, 'commands'));
  writeFileSync(
    join(home, 'commands', 'research.md'),
    '---\ndescription: Find things out.\n---\nTopic: {{input}}\n',
  );
  await server.start();
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const promptRow = (page: Page, name: string) => page.locator(`.list-row:has(a:text-is("${name}"))`);

describe('prompts', () => {
  it('are rendered while the arguments are typed', async () => {
    const page = await open();
    await page.getByText('research').first().click();
    await page.getByLabel(/^input/).fill('tides');
    await shows(page, 'Topic: tides');
    await page.locator('.template .token-value').waitFor();
  });

  it('with a thousand arguments show the first fields and name the missing required ones', async () => {
    mkdirSync(join(home, 'libraries', 'wide', 'prompts'), { recursive: true });
    const argument = (_: unknown, index: number) =>
      `[[prompts.form.arguments]]\nname = "field${index}"\nrequired = ${index < 4}\n`;
    writeFileSync(
      join(home, 'libraries', 'wide', 'twig.toml'),
      `[prompts.form]\ndescription = "Asks."\n${Array.from({ length: 1000 }, argument).join('')}`,
    );
    writeFileSync(join(home, 'libraries', 'wide', 'prompts', 'form.md'), 'Asked: {{ field0 }}.\n');
    const page = await open();
    await page.getByRole('link', { name: 'wide:form' }).click();
    await shows(page, 'Fill in field0, field1, field2 and 1 more to see the result.');
    for (const index of [0, 1, 2, 3]) await page.getByLabel(`field${index} required`).fill('here');
    await shows(page, 'Asked: here.');
    expect(await page.locator('.arguments textarea').count()).toBe(100);
    await page.getByRole('button', { name: 'Show 100 of 900 more arguments' }).click();
    expect(await page.locator('.arguments textarea').count()).toBe(200);
  });

  it('suggest argument values and copy the result', async () => {
    mkdirSync(join(home, 'libraries', 'lib', 'prompts'), { recursive: true });
    writeFileSync(
      join(home, 'libraries', 'lib', 'twig.toml'),
      '[prompts.tune]\ndescription = "Plays."\n[[prompts.tune.arguments]]\nname = "key"\nvalues = ["major", "minor"]\n',
    );
    writeFileSync(join(home, 'libraries', 'lib', 'prompts', 'tune.md'), 'Play in {{ key }}.\n');
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('link', { name: 'lib:tune' }).click();
    await page.getByLabel(/^key/).click();
    await page.getByRole('button', { name: 'minor' }).click();
    await shows(page, 'Play in minor.');
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await shows(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('Play in minor.');
  });

  it('are filtered while the query is typed', async () => {
    writeFileSync(join(home, 'commands', 'other.md'), '---\ndescription: Something else.\n---\nX\n');
    const page = await open();
    await shows(page, 'Something else.');
    await page.getByRole('searchbox').fill('rese');
    await page.getByText('Something else.').first().waitFor({ state: 'detached' });
    await shows(page, 'Find things out.');
  });

  it('are imported from files of other programs, and their problems are shown', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Import or export' }).click();
    await page.locator('.exchange input[type=file]').setInputFiles({
      name: 'imported.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('---\ndescription: Came from elsewhere.\n---\nDo $ARGUMENTS\n'),
    });
    await shows(page, 'Came from elsewhere.');
    await page.locator('.exchange input[type=file]').setInputFiles({
      name: 'has a space.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('Do it\n'),
    });
    await shows(page, 'the name becomes has_a_space');
    writeFileSync(
      join(home, 'commands', 'spaced.md'),
      '---\ndescription: Spaces where none belong.\n---\nSay {{ input }}\n',
    );
    await page.getByRole('link', { name: 'spaced' }).click();
    await page.getByRole('list', { name: 'Problems' }).waitFor();
  });

  it('are exported as one archive', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Import or export' }).click();
    await page.getByLabel('Format').selectOption('claude-code');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('prompts-claude-code.zip');
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-export-'));
    try {
      await download.saveAs(join(folder, 'all.zip'));
      unzip(join(folder, 'all.zip'), folder);
      expect(readFileSync(join(folder, 'research.md'), 'utf8')).toContain('Topic:');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('show a problem badge in the list until the problem is fixed', async () => {
    mkdirSync(join(home, 'libraries', 'shared', 'prompts'), { recursive: true });
    writeFileSync(
      join(home, 'libraries', 'shared', 'twig.toml'),
      ['one', 'two', 'good'].map((name) => `[prompts.${name}]\ndescription = "d"\n`).join(''),
    );
    const template = (name: string, text: string) =>
      writeFileSync(join(home, 'libraries', 'shared', 'prompts', `${name}.md`), text);
    template('part', '{{ nobody }}');
    template('one', '{% include "part.md" %}');
    template('two', '{% include "part.md" %}{{ maybe|default("") }}');
    template('good', 'Fine.');
    const page = await open();
    await promptRow(page, 'shared:one').getByRole('img', { name: '1 error', exact: true }).waitFor();
    await promptRow(page, 'shared:two').getByRole('img', { name: '1 error, 1 warning' }).waitFor();
    expect(await promptRow(page, 'shared:two').getByRole('img').textContent()).toBe('! 2');
    expect(await promptRow(page, 'shared:good').getByRole('img').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    // The prompt lists the problems that its row counts.
    await page.getByRole('link', { name: 'shared:two', exact: true }).click();
    await page.getByRole('list', { name: 'Problems' }).getByText('undefined variable: nobody').waitFor();
    template('part', 'All is well.');
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await promptRow(page, 'shared:one').getByRole('img').waitFor({ state: 'detached' });
    await promptRow(page, 'shared:two').getByRole('img', { name: '1 warning', exact: true }).waitFor();
  });

  it('lose their problem badge when they are corrected on the page', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'New prompt' }).click();
    await page.getByLabel('Name', { exact: true }).fill('marked');
    await page.getByLabel(/^Text/).fill('Say {{ word }}');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = promptRow(page, 'marked');
    await row.getByRole('img', { name: '1 error' }).waitFor();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel(/^Text/).fill('Say a word.');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('img').waitFor({ state: 'detached' });
  });

  it('appear without a reload when a file is written', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    writeFileSync(join(home, 'commands', 'fresh.md'), '---\ndescription: Just written.\n---\nX\n');
    await shows(page, 'Just written.');
  });

  it('update in one window when they are created, edited, deleted or restored in another', async () => {
    const [one, other] = [await open(), await open()];
    await shows(other, 'Find things out.');
    await one.getByRole('link', { name: 'New prompt' }).click();
    await one.getByLabel('Name', { exact: true }).fill('greeting');
    await one.getByLabel('Description', { exact: true }).fill('Says hello.');
    await one.getByLabel(/^Text/).fill('Hello {{who}}');
    await one.getByRole('button', { name: 'Create' }).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('Description', { exact: true }).fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(other, 'Says good day.');
    await one.getByRole('tab', { name: 'History' }).click();
    await one.locator('.diff .added').getByText('description: Says good day.').waitFor();
    // Any two versions: here the first one, and the one before it, which is none.
    await one.getByText('you, ').first().waitFor();
    await one.getByLabel('Revision 2 as the old version').check();
    await one.getByLabel('Revision 1 as the new version').check();
    await one.locator('.diff .removed').getByText('description: Says good day.').waitFor();
    await one.evaluate('history.back()');
    await one.getByLabel('Revision 1 as the old version').check();
    await one.getByRole('button', { name: 'Restore revision 1' }).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('Description of who').fill('A name');
    await one.getByLabel('Description', { exact: true }).fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(one, 'A name');
    await one.getByRole('button', { name: /^More about/ }).click();
    await one.getByRole('button', { name: 'Delete' }).click();
    await other.getByText('Says good day.').first().waitFor({ state: 'detached' });
    await one.getByRole('button', { name: 'Undo' }).click();
    await shows(other, 'Says good day.');
  });
});
