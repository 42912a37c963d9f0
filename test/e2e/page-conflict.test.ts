import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';

const server = new PageServer();
const file = join(server.home, 'prompts', 'user.jsonl');

beforeAll(() => server.start());
beforeEach(() => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  const messages = [{ role: 'user', content: { type: 'text', text: 'Hello {{who}}' } }];
  writeFileSync(file, `${JSON.stringify({ name: 'greet', title: 'Greet', messages })}\n`);
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const savedPrompts = () =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as { title: string; messages: { content: { text: string } }[] })
    .map(({ title, messages }) => [title, messages[0]!.content.text]);

async function openPrompt(): Promise<Page> {
  const page = await server.open();
  await page.evaluate("location.hash = '#/prompts/greet'");
  await page.getByRole('tab', { name: 'Edit' }).waitFor();
  return page;
}

async function openEditor(): Promise<Page> {
  const page = await openPrompt();
  await page.getByRole('tab', { name: 'Edit' }).click();
  await page.getByLabel(/^Text/).waitFor();
  return page;
}

const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
const edit = (page: Page, text: string) => page.getByLabel(/^Text/).fill(text);

/** Edits the prompt in two windows, saves the first one, and returns the second one, which has the conflict. */
async function createConflict(): Promise<Page> {
  const [first, second] = [await openEditor(), await openEditor()];
  await edit(second, 'Mine for {{who}}');
  await edit(first, 'Theirs for {{who}}');
  await first.getByLabel('Title').fill('Their title');
  await save(first);
  await shows(first, 'Theirs for');
  await second.getByRole('heading', { name: 'This prompt was changed elsewhere' }).waitFor();
  return second;
}

describe('a prompt open in two windows', () => {
  it('updates its text in the other window without a reload', async () => {
    const [one, other] = [await openEditor(), await openPrompt()];
    await shows(other, 'Hello');
    await edit(one, 'Good day {{who}}');
    await save(one);
    await other.locator('.template').getByText('Good day').waitFor();
    await other.getByLabel(/^who/).fill('Ann');
    await shows(other, 'Good day Ann');
    // The window that saved also shows the new text, and an edit of the file reaches both windows.
    await one.locator('.template').getByText('Good day').waitFor();
    writeFileSync(file, readFileSync(file, 'utf8').replace('Good day', 'Good night'));
    await shows(other, 'Good night Ann');
    await one.locator('.template').getByText('Good night').waitFor();
  });

  it('is not overwritten: the conflict shows both versions and saves neither', async () => {
    const page = await createConflict();
    await page.getByRole('alert').getByText('You saved another version while you were editing.').waitFor();
    expect(await page.locator('.diff').count()).toBe(0);
    await page.getByRole('button', { name: 'Compare' }).click();
    const both = page.locator('.conflict-versions .diff');
    expect(await both.nth(0).textContent()).toContain('+Mine for {{who}}');
    expect(await both.nth(1).textContent()).toContain('−Theirs for {{who}}');
    // Both versions contain the server's value of a field that was not edited in this window.
    for (const side of [0, 1]) expect(await both.nth(side).textContent()).toContain('title: Their title');
    expect(savedPrompts()).toEqual([['Their title', 'Theirs for {{who}}']]);
    expect(await page.getByLabel(/^Text/).inputValue()).toBe('Mine for {{who}}');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await seriousViolations(page)).toEqual([]);
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    }
  });

  it('is replaced by my version with "Keep mine", and their version stays in the history', async () => {
    const page = await createConflict();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.locator('.template').getByText('Mine for').waitFor();
    expect(savedPrompts()).toEqual([['Their title', 'Mine for {{who}}']]);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.locator('.diff .removed').getByText('Theirs for {{who}}').waitFor();
  });

  it('loads their version with "Take theirs", and Undo restores my edits', async () => {
    const page = await createConflict();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.locator('.conflict').waitFor({ state: 'detached' });
    expect(await page.getByLabel(/^Text/).inputValue()).toBe('Theirs for {{who}}');
    expect(await page.getByLabel('Title').inputValue()).toBe('Their title');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.conflict').waitFor();
    expect(await page.getByLabel(/^Text/).inputValue()).toBe('Mine for {{who}}');
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await edit(page, 'Theirs, and more, for {{who}}');
    await save(page);
    await page.locator('.template').getByText('Theirs, and more').waitFor();
    expect(savedPrompts()).toEqual([['Their title', 'Theirs, and more, for {{who}}']]);
  });

  it('conflicts again if it changes once more before my version is saved', async () => {
    const page = await createConflict();
    const third = await openEditor();
    await edit(third, 'Third for {{who}}');
    await save(third);
    await shows(third, 'Third for');
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.locator('.conflict-versions .removed').getByText('Third for {{who}}').waitFor();
    expect(savedPrompts()).toEqual([['Their title', 'Third for {{who}}']]);
  });

  it('keeps unsaved edits when the other window deletes it', async () => {
    const [editor, other] = [await openEditor(), await openPrompt()];
    await edit(editor, 'Mine for {{who}}');
    await other.getByRole('button', { name: /^More about/ }).click();
    await other.getByRole('button', { name: 'Delete' }).click();
    await shows(other, 'Deleted greet.');
    await editor.locator('.list-row').first().getByText('greet').waitFor({ state: 'detached' });
    expect(await editor.getByLabel(/^Text/).inputValue()).toBe('Mine for {{who}}');
    await save(editor);
    await editor.getByRole('heading', { name: 'This prompt was deleted elsewhere' }).waitFor();
    await editor.getByRole('button', { name: 'Keep mine' }).click();
    await editor.locator('.template').getByText('Mine for').waitFor();
    expect(savedPrompts()).toEqual([['Greet', 'Mine for {{who}}']]);
  });

  it('that was deleted is in the trash and in the activity with the person, not the program', async () => {
    const page = await openPrompt();
    await page.getByRole('button', { name: /^More about/ }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await shows(page, 'Deleted greet.');
    await page.evaluate("location.hash = '#/prompts/+trash'");
    await shows(page, /^deleted .* by you$/);
    await page.evaluate("location.hash = '#/server/+activity'");
    const row = page.locator('tr').filter({ hasText: /delete_prompt/ });
    await row.first().getByText('you', { exact: true }).waitFor();
    expect(await page.getByText('adjutant-page').count()).toBe(0);
  });
});
