import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';

const server = new PageServer();
const file = join(server.home, 'prompts', 'user.jsonl');
interface Saved {
  readonly name: string;
  readonly title: string;
  readonly tags?: readonly string[];
  readonly messages: readonly { readonly content: { readonly text: string } }[];
}
const record = (name: string, text: string, tags: readonly string[] = []) =>
  `${JSON.stringify({ name, title: name, tags, messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;
const saved = () =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Saved);

beforeAll(async () => {
  mkdirSync(join(server.home, 'commands'), { recursive: true });
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  writeFileSync(
    join(server.home, 'commands', 'research.md'),
    '---\ndescription: Find things out.\n---\nTopic: {{input}}\n',
  );
  await server.start();
});
beforeEach(() =>
  writeFileSync(
    file,
    record('one', 'First', ['old']) + record('two', 'Hello {{ who }}') + record('three', 'Third'),
  ),
);
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const rows = (page: Page) => page.locator('.row-link');
const open = async (hash = '#/prompts') => {
  const page = await server.open();
  await rows(page).getByText('three').waitFor();
  await page.goto(server.view(hash));
  return page;
};

describe('the list of prompts', () => {
  it('shows favourites, a source or prompts with problems only, and remembers favourites', async () => {
    const page = await open('#/prompts/three');
    await page.getByRole('button', { name: 'Favourite' }).click();
    await page.reload();
    await rows(page).getByText('three').waitFor();
    await page.getByLabel('Show', { exact: true }).selectOption('favourites');
    await shows(page, /^1 prompt$/);
    expect(await rows(page).textContent()).toBe('three');
    // Every browser has the same favourites.
    const other = await open('#/prompts?only=favourites');
    await shows(other, /^1 prompt$/);
    await page.getByLabel('Show', { exact: true }).selectOption('problems');
    await shows(page, /^1 prompt$/);
    expect(await rows(page).textContent()).toBe('two');
    await page.getByLabel('Show', { exact: true }).selectOption('');
    await page.getByLabel('Source').selectOption('commands');
    await shows(page, /^1 prompt$/);
    expect(await rows(page).textContent()).toBe('research');
    await page.keyboard.press('f');
    await page.getByRole('button', { name: 'Favourite' }).waitFor();
  });

  it('puts a prompt into a folder, and shows only a folder', async () => {
    const page = await open('#/prompts/three');
    await page.locator('input[list=prompt-folders]').fill('work/mail');
    await page.keyboard.press('Enter');
    await page.locator('select[aria-label=Folder]').selectOption('work');
    await shows(page, /^1 prompt$/);
    expect(await rows(page).textContent()).toBe('three');
  });

  it('tags, exports and deletes several prompts, and undoes each change', async () => {
    const page = await open();
    await page.getByLabel('Source').selectOption('user');
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByLabel('Select one').click();
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await shows(page, '3 selected');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByLabel('Tag', { exact: true }).fill('new');
    await page.getByRole('button', { name: 'Add tag' }).click();
    await shows(page, 'Tagged 3 prompts.');
    expect(saved().map(({ tags }) => tags)).toEqual([['old', 'new'], ['new'], ['new']]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Tagged 3 prompts.').waitFor({ state: 'detached' });
    expect(saved().map(({ tags }) => tags)).toEqual([['old'], [], []]);
    const download = page.waitForEvent('download');
    await page.getByLabel('Format').selectOption('jsonl');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    expect((await download).suggestedFilename()).toMatch(/jsonl/);
    await page.getByLabel('Select two').click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await shows(page, 'Deleted 2 prompts.');
    expect(saved().map(({ name }) => name)).toEqual(['two']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(() =>
        saved()
          .map(({ name }) => name)
          .sort(),
      )
      .toEqual(['one', 'three', 'two']);
    await rows(page).getByText('three').waitFor();
  });

  it('changes what it can if a prompt of a file is among the selected ones', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByLabel('Select one').click();
    await page.getByLabel('Select research').click();
    await page.getByLabel('Tag', { exact: true }).fill('#new');
    await page.getByRole('button', { name: 'Add tag' }).click();
    await shows(page, /Tagged 1 prompt\. 1 not changed: cannot update research/);
    expect(saved()[0]!.tags).toEqual(['old', 'new']);
  });
});

describe('a deleted prompt', () => {
  it('can be restored from the trash after its message is gone and the page was loaded again', async () => {
    const page = await open('#/prompts/one');
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await shows(page, 'Deleted one.');
    await page.reload();
    await page.getByRole('link', { name: 'Trash' }).click();
    const line = page.locator('.plain-list li:has-text("one")');
    await line.getByRole('button', { name: 'Restore' }).click();
    await rows(page).getByText('one').waitFor();
    await line.waitFor({ state: 'detached' });
    expect(saved().find(({ name }) => name === 'one')?.messages).toMatchObject([
      { content: { text: 'First' } },
    ]);
  });
});

describe('a copy', () => {
  it('starts with the content of the prompt, survives a reload and does not change the original', async () => {
    const page = await open('#/prompts/one');
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByLabel('Text', { exact: true }).fill('First, again');
    await page.reload();
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('First, again');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.template').getByText('First, again').waitFor();
    const copy = saved().find(({ name }) => name === 'one_copy');
    expect(copy).toMatchObject({ title: 'one (copy)', tags: ['old'] });
    expect(saved()[0]).toMatchObject({ name: 'one', title: 'one' });
  });

  it('of a prompt in a file becomes an own prompt with the same arguments', async () => {
    const page = await open('#/prompts/research');
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByLabel(/^input/).fill('tides');
    await shows(page, 'Topic: tides');
  });
});
