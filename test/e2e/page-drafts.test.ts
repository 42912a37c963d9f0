import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';

const server = new PageServer();
const file = join(server.home, 'prompts', 'user.jsonl');
const prompt = (name: string, text: string) =>
  `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;

beforeAll(() => server.start());
beforeEach(() => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  writeFileSync(file, prompt('greet', 'Hello {{who}}') + prompt('other', 'Something else'));
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const go = (page: Page, name: string) =>
  page.evaluate(`location.hash = '#/prompts/${encodeURIComponent(name)}'`);
const textOf = (page: Page) => page.getByLabel(/^Text/).inputValue();

/** Opens the editor of "greet" and types a text without saving it. */
async function typeDraft(): Promise<Page> {
  const page = await server.open();
  await go(page, 'greet');
  await page.getByRole('tab', { name: 'Edit' }).click();
  await page.getByLabel(/^Text/).fill('Draft for {{who}}');
  return page;
}

describe('unsaved edits of a prompt', () => {
  it('survive another prompt, another view, a reload and a closed tab', async () => {
    const page = await typeDraft();
    await page.locator('.row-link').getByText('other').click();
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await page.locator('.list-row').getByText('Unsaved draft').waitFor();
    await go(page, 'greet');
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.evaluate("location.hash = '#/server'");
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await go(page, 'greet');
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.reload();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    expect(await seriousViolations(page)).toEqual([]);
    const tab = await server.openTab(page);
    await page.close();
    await go(tab, 'greet');
    expect(await textOf(tab)).toBe('Draft for {{who}}');
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.locator('.template').getByText('Draft for').waitFor();
    expect(await tab.getByText('Unsaved draft').count()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('Draft for {{who}}');
  });

  it('are removed with Discard, and Undo restores them', async () => {
    const page = await typeDraft();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.getByText('Unsaved draft').first().waitFor({ state: 'detached' });
    expect(await textOf(page)).toBe('Hello {{who}}');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.editor').getByText('Unsaved draft').waitFor();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.reload();
    expect(await textOf(page)).toBe('Hello {{who}}');
    await go(page, 'other');
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  });

  it('conflict with a version that was saved in the meantime', async () => {
    const page = await typeDraft();
    await go(page, 'other');
    writeFileSync(file, prompt('greet', 'Changed for {{who}}') + prompt('other', 'Something else'));
    await page.reload();
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'This prompt was changed elsewhere' }).waitFor();
    const both = page.locator('.conflict .difference');
    expect(await both.nth(0).textContent()).toContain('+ Draft for {{who}}');
    expect(await both.nth(1).textContent()).toContain('− Changed for {{who}}');
  });

  it('can be kept when the prompt was deleted in the meantime', async () => {
    const page = await typeDraft();
    await go(page, 'other');
    writeFileSync(file, prompt('other', 'Something else'));
    await page.reload();
    await page.locator('.list-row').getByText('greet').waitFor({ state: 'detached' });
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'This prompt was deleted elsewhere' }).waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.locator('.template').getByText('Draft for').waitFor();
    expect(readFileSync(file, 'utf8')).toContain('Draft for {{who}}');
  });

  it('of a new prompt survive a reload and end when it is created', async () => {
    const page = await server.open();
    await go(page, '+new');
    await page.getByLabel('Name', { exact: true }).fill('fresh');
    await page.getByLabel(/^Text/).fill('Fresh text');
    await go(page, 'other');
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'New prompt' }).click();
    await shows(page, 'Unsaved draft');
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('fresh');
    expect(await textOf(page)).toBe('Fresh text');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.template').getByText('Fresh text').waitFor();
    await go(page, '+new');
    await page.getByRole('heading', { name: 'New prompt' }).waitFor();
    expect(await textOf(page)).toBe('');
  });

  it('of two tabs do not replace each other', async () => {
    const page = await typeDraft();
    const tab = await server.openTab(page);
    await go(tab, 'greet');
    await tab.getByLabel(/^Text/).fill('From the second tab');
    await page.reload();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await tab.reload();
    expect(await textOf(tab)).toBe('From the second tab');
  });
});
