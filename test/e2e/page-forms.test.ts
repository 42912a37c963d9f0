import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { putFinishedRun } from '../delegate/finished-run.ts';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';
import { emptyViews, views } from '../page/picture-views.ts';
import { bundle } from '../program.ts';

vi.setConfig({ testTimeout: 90_000 });
const server = new PageServer();
const { home } = server;
const patch = 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-low\n+high\n';

beforeAll(async () => {
  mkdirSync(join(home, 'prompts'), { recursive: true });
  mkdirSync(join(home, 'commands'), { recursive: true });
  writeFileSync(join(home, 'commands', 'rules.md'), '---\ndescription: Rules.\n---\nBe brief.\n');
  writeFileSync(
    join(home, 'commands', 'reply.md'),
    '---\ndescription: Reply.\ntemplate: jinja\n---\n{{ prompt("rules") }} Reply.\n',
  );
  await server.start({ ADJUTANT_DELIVERY_WITH_SERVER: 'false' });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const adjutant = (...args: readonly string[]) =>
  execFileSync(process.execPath, [bundle, ...args, '--home', home], { env: { ...process.env, HOME: home } });
async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

describe('the server view', () => {
  it('calls a tool with the values of its form, and shows the answer or the error', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('tab', { name: 'Tools' }).click();
    await page.getByLabel('Search tools').fill('show_prompt');
    await page.getByRole('link', { name: 'Show prompt' }).click();
    const answer = () => page.locator('pre[role="status"]').textContent();
    const name = page.getByLabel(/^name/);
    await name.fill('nothing');
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByRole('heading', { name: /^Error/ }).waitFor();
    expect(await answer()).toMatch(/nothing/);
    await name.fill('rules');
    await page.getByRole('button', { name: 'Call tool' }).click();
    await page.getByRole('heading', { name: /^Result/ }).waitFor();
    expect(JSON.parse((await answer())!)).toMatchObject({
      name: 'rules',
      template: expect.stringContaining('Be brief'),
    });
  });

  it('lists tokens from their creation until they are revoked', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Server' }).click();
    const tokens = page.getByRole('region', { name: 'Tokens' });
    await tokens.getByText('None').waitFor();
    adjutant('tokens', 'create', 'laptop', '--scope', 'read');
    await tokens.getByText('laptop').waitFor();
    await tokens.getByText('read', { exact: true }).waitFor();
    adjutant('tokens', 'revoke', 'laptop');
    await tokens.getByText('None').waitFor();
  });
});

describe('a prompt', () => {
  it('links to the prompts that it includes, and to those that include it', async () => {
    const page = await server.open();
    await page.locator('.list-row').getByText('reply', { exact: true }).click();
    const includes = page.locator('article p').getByText(/^Includes/);
    await includes.getByRole('link', { name: 'rules' }).click();
    const included = page.locator('article p').getByText(/^Included in/);
    await included.getByRole('link', { name: 'reply' }).waitFor();
  });

  it('is created with the keyboard alone', async () => {
    const page = await server.open();
    await page.locator('.list-row').first().waitFor();
    await press(page, 'n');
    await page.getByRole('heading', { name: 'New prompt' }).waitFor();
    await page.getByRole('searchbox').focus();
    // From the search to the first field of the form.
    for (
      let tabs = 0;
      tabs < 40 && !(await page.evaluate(`document.activeElement.matches('.editor input')`));
      tabs++
    )
      await press(page, 'Tab');
    await page.keyboard.type('typed');
    await press(page, 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
    await page.keyboard.type('Written without a mouse.');
    await press(page, 'Control+s');
    await page.getByRole('heading', { name: 'typed' }).waitFor();
    await shows(page, 'Written without a mouse.');
  });
});

describe('an event', () => {
  it('is created with the keyboard alone', async () => {
    const person = { id: 'kay', name: 'Kay', email: 'kay@example.com', timezone: 'UTC' };
    await callTool(server, 'create_user', person);
    const page = await server.open();
    await page.locator('.list-row').first().waitFor();
    await press(page, 'g', 'c');
    await page.locator('.week').waitFor();
    const focused = (selector: string) =>
      page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`);
    for (let tabs = 0; tabs < 40 && !(await focused('.calendar .primary')); tabs++) await press(page, 'Tab');
    await press(page, 'Enter');
    await page.getByLabel('Title').waitFor();
    for (let tabs = 0; tabs < 200 && !(await focused('.event-form input[required]')); tabs++)
      await press(page, 'Tab');
    await page.keyboard.type('Typed');
    await press(page, 'Enter');
    await page.locator('.week .event').getByText('Typed').first().waitFor();
  });
});

describe('accessibility', () => {
  /** Checks both themes. */
  async function check(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page), `${name}, ${colorScheme}`).toEqual([]);
    }
  }

  it('has no moderate or serious findings in forms, dialogs and panels, in both themes', async () => {
    const page = await server.open();
    const [firstRun] = emptyViews;
    await page.goto(server.view(firstRun!.hash));
    await page.locator('.first-steps li').first().waitFor();
    await check(page, firstRun!.name);
    await callTool(server, 'load_demo', {});
    const { users } = await callTool<{ users: { id: string }[] }>(server, 'list_users', {});
    const sample = users.find(({ id }) => id !== 'kay')!.id;
    await callTool(server, 'test_notification', { user_id: sample });
    await callTool(server, 'create_prompt', {
      ...{ name: 'greet', title: 'Greet' },
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello {{name}}' } }],
    });
    const runs = join(home, 'runs');
    writeFileSync(join(runs, putFinishedRun(runs, 5000), 'changes.patch'), patch);
    const chosen = ['prompt-edit', 'run-review', 'calendar-outbox', 'calendar-plan', 'palette'];
    for (const { name, hash, shows: loaded, prepare } of views.filter((view) => chosen.includes(view.name))) {
      await page.goto(server.view(name.startsWith('calendar') ? `#/calendar/${sample}` : hash));
      await page.reload();
      await page.locator(loaded).first().waitFor();
      await prepare?.(page);
      await check(page, name);
    }
  });

  it('has none in the questions before something is deleted', async () => {
    const page = await server.open();
    await callTool(server, 'create_event', {
      ...{ user_id: 'kay', title: 'Choir', start_ts: `${dayFromNow(0)}T12:00`, rrule: 'FREQ=DAILY;COUNT=2' },
    });
    await page.goto(server.view('#/calendar/kay'));
    await page.locator('.week .event').getByText('Choir').first().click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete event' }).waitFor();
    await check(page, 'delete event');
    await page.goto(server.view('#/prompts'));
    await page.getByRole('button', { name: 'Select' }).click();
    await page.locator('.list-row input[type=checkbox]').first().check();
    await check(page, 'selected prompts');
  });
});
