import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { putFinishedRun } from '../delegate/finished-run.ts';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();

beforeAll(async () => {
  await server.start();
  await callTool(server, 'create_user', { id: 'ada', name: 'Ada', timezone: 'UTC' });
  await callTool(server, 'create_event', {
    ...{ user_id: 'ada', title: 'Dentist', start_ts: `${dayFromNow(0)}T23:00` },
  });
  await callTool(server, 'create_prompt', {
    ...{
      name: 'greet',
      title: 'Greet',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
    },
  });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

async function openWith(name: string, ...scopes: readonly string[]): Promise<Page> {
  const args = ['tokens', 'create', name, ...scopes.flatMap((scope) => ['--scope', scope])];
  const token = execFileSync(process.execPath, [bundle, ...args, '--home', server.home, '--quiet'], {
    encoding: 'utf8',
  }).trim();
  const page = await server.open(server.view(`#token=${token}`));
  await page.locator('.live.on').waitFor();
  return page;
}

const reason = 'Your token may not do this.';
/** The buttons of the view by name: `refused` if they are disabled with the reason. */
const buttons = (page: Page) =>
  page.evaluate<Readonly<Record<string, string>>>(`Object.fromEntries(
    [...document.querySelectorAll('main :is(button, a.button, label.button)')].map((one) => [
      (one.ariaLabel ?? one.textContent.replace(one.querySelector('kbd')?.textContent ?? '', '')).trim(),
      one.disabled && one.title === ${JSON.stringify(reason)} ? 'refused' : 'offered',
    ]),
  )`);

describe('with a token for one calendar and for reading', () => {
  it('prompts are shown, and every button that changes them is disabled with the reason', async () => {
    const page = await openWith('reader', 'calendar:ada', 'read');
    await page.evaluate("location.hash = '#/prompts/greet'");
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await buttons(page)).toMatchObject({
      ...{ 'New prompt': 'refused', Duplicate: 'refused', Delete: 'refused', Save: 'refused' },
      Favourite: 'refused',
    });
    await page.evaluate("location.hash = '#/prompts/greet/try'");
    await page.getByRole('button', { name: 'Send to model' }).waitFor();
    expect(await buttons(page)).toMatchObject({ 'Send to model': 'refused' });
    await page.evaluate("location.hash = '#/prompts/+exchange'");
    await shows(page, 'Export all');
    expect(await buttons(page)).toMatchObject({ 'Import files': 'refused', 'Export all': 'offered' });
    expect(await axeViolations(page)).toEqual([]);
  });

  it('its own calendar can be changed, and other people cannot be added or asked', async () => {
    const page = await openWith('reader-2', 'calendar:ada', 'read');
    await page.evaluate("location.hash = '#/calendar/ada?show=agenda'");
    await page.locator('.agenda-row').click();
    await page.getByRole('button', { name: 'Edit' }).waitFor();
    await page.getByRole('button', { name: 'More about this calendar' }).click();
    expect(await buttons(page)).toMatchObject({
      ...{ 'New event': 'offered', Edit: 'offered', Delete: 'offered', Settings: 'offered' },
      ...{ 'Find a time': 'refused', 'Add person': 'refused' },
    });
  });
});

it('with a token for agents that only read › runs can be steered, and changes cannot be applied', async () => {
  const page = await openWith('delegate', 'delegate:read-only');
  const runs = join(server.home, 'runs');
  // A minute after the token was made, because a token sees only its own runs.
  const run = putFinishedRun(runs, Math.ceil((Date.now() - Date.UTC(2026, 0, 1)) / 60_000) + 1);
  const edit = (file: string, more: object) => {
    const path = join(runs, run, file);
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...more }));
  };
  edit('request.json', { actor: 'token delegate' });
  edit('result.json', { thread_id: '00000000-0000-4000-8000-000000000000' });
  writeFileSync(
    join(runs, run, 'changes.patch'),
    'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n',
  );
  await page.evaluate(`location.hash = '#/runs/${run}/changes'`);
  await page.getByRole('button', { name: 'More about a.txt' }).click();
  await page.getByRole('button', { name: 'Revert this file' }).waitFor();
  expect(await buttons(page)).toMatchObject({
    ...{ 'New run': 'offered', 'Resume run': 'offered' },
    'Revert this file': 'refused',
  });
});
