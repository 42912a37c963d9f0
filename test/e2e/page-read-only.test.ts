import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFinishedRun } from '../delegate/finished-run.ts';
import type { Page } from '../page/browser.ts';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
let page: Page;
let run: string;

beforeAll(async () => {
  const adjutant = (...args: string[]) =>
    execFileSync(process.execPath, [bundle, ...args, '--home', server.home], { stdio: 'pipe' });
  adjutant('demo');
  adjutant('prompts', 'create', 'mine', '--text', 'Mine: {{topic}}', '--title', 'Mine');
  run = putFinishedRun(join(server.home, 'runs'), 0);
  const result = join(server.home, 'runs', run, 'result.json');
  writeFileSync(result, readFileSync(result, 'utf8').replace('"thread_id":null', '"thread_id":"thread"'));
  await server.start({}, ['--port', '0', '--read-only']);
  page = await server.open();
}, 60_000);
afterAll(() => server.stop());

/** The buttons of a view by name: false if they are disabled with the reason. */
async function buttons(): Promise<Readonly<Record<string, boolean>>> {
  return page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('main button, main a.button, main label.button')].map((one) => [
      one.textContent.replace(one.querySelector('kbd')?.textContent ?? '', '').trim(),
      !(one.disabled && one.title === 'This server is read-only: nothing can be changed here.'),
    ]),
  )`);
}

async function visit(hash: string, text: string): Promise<void> {
  await page.goto(server.view(hash));
  await shows(page, text);
}

describe('the page of a read-only server', () => {
  it('says so', async () => {
    await page.locator('.nav').getByText('Read-only').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('disables what changes prompts', async () => {
    await visit('#/prompts/+exchange', 'Export all');
    expect(await buttons()).toMatchObject({ 'New prompt': false, 'Import files': false, 'Export all': true });
    await visit('#/prompts/mine', 'Mine: ');
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel('Title', { exact: true }).waitFor();
    expect(await buttons()).toMatchObject({ Save: false, Delete: false });
  });

  it('disables what starts or continues runs', async () => {
    await visit('#/runs/+new', 'New run');
    expect(await buttons()).toMatchObject({ 'New run': false, 'Start run': false });
    await visit(`#/runs/${run}`, 'Resume run');
    expect(await buttons()).toMatchObject({ 'Resume run': false });
  });

  it('disables what changes calendars and sample data', async () => {
    await visit('#/calendar', 'Find a time');
    await page.getByRole('tab', { name: 'Agenda' }).click();
    await page.getByRole('button', { name: 'More about this calendar' }).click();
    expect(await buttons()).toMatchObject({
      'New event': false,
      'Import calendar': false,
      Tasks: true,
    });
    await page.locator('main button.list-row').first().click();
    await page.locator('.panel .notification.planned').first().waitFor();
    expect(await buttons()).toMatchObject({ Cancel: false });
    await visit('#/server', 'Remove sample data');
    expect(await buttons()).toMatchObject({ 'Remove sample data': false });
  });
});
