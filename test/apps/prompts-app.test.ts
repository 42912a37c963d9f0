import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AppRig, expand, findings, fitsAtOnce, heights } from './app-rig.ts';

let rig: AppRig;
beforeAll(async () => {
  rig = await AppRig.open();
  rig.addCommand('tides', '---\ndescription: Explain the tides.\n---\nExplain the tides in {{input}}.');
});
afterAll(() => rig[Symbol.asyncDispose]());

it('finds a prompt, fills it in and sends it as a message, and follows changes', async () => {
  const app = await rig.show({ tool: 'search_prompts', args: { query: 'tides' }, theme: 'dark', width: 320 });
  const { page, view } = app;
  await view.locator('html[data-theme="dark"]').waitFor();
  await view.getByRole('button', { name: /^tides/ }).waitFor();
  rig.addCommand('tides-table', '---\ndescription: List the tides.\n---\nMake a table of the tides.');
  await view.getByRole('button', { name: /^tides-table/ }).click();
  await view.getByText('Make a table of the tides.').waitFor();
  expect(await findings(app)).toEqual([]);
  await view.getByRole('button', { name: 'Back to the list' }).click();
  await view.getByRole('button', { name: /^tides Explain/ }).click();
  const send = view.getByRole('button', { name: 'Send to the chat' });
  expect(await send.evaluate('document.querySelector("button.primary").disabled')).toBe(true);
  await view.getByLabel('input').fill('Hamburg');
  await view.getByText('Explain the tides in Hamburg.').waitFor();
  rig.addCommand('tides', '---\ndescription: Explain the tides.\n---\nShow the tides in {{input}}.');
  await view.getByText('Show the tides in Hamburg.').waitFor();
  await send.click();
  await view.getByText('Sent to the chat.').waitFor();
  expect(await page.evaluate('chat')).toEqual(['Show the tides in Hamburg.']);
  await expect.poll(async () => new Set(await heights(app)).size).toBe(1);
  await page.evaluate('closeView()');
});

it('says what went wrong if the chat refuses, and follows its theme', async () => {
  rig.addCommand('moon', '---\ndescription: About the moon.\n---\nExplain the moon.');
  const { page, view } = await rig.show({ tool: 'search_prompts', args: { query: 'moon' }, theme: 'light' });
  await view.getByRole('button', { name: /^moon/ }).click();
  await view.getByText('Explain the moon.').waitFor();
  await page.evaluate("refused.push('message')");
  await view.getByRole('button', { name: 'Send to the chat' }).click();
  await view.getByText('The chat did not accept the message.').waitFor();
  expect(await page.evaluate('chat')).toEqual([]);
  await page.evaluate(
    "changeContext({ theme: 'dark', styles: { variables: { '--color-background-primary': 'rgb(1, 2, 3)' } } })",
  );
  await view.locator('html[data-theme="dark"]').waitFor();
  expect(await view.locator('body').evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
    'rgb(1, 2, 3)',
  );
  rmSync(join(rig.home, 'commands', 'moon.md'));
  await view.getByText(/moon.*not found|unknown.*moon|no prompt.*moon/i).waitFor();
  await page.evaluate("refused.push('search_prompts')");
  await view.getByRole('button', { name: 'Back to the list' }).click();
  await view.getByText('The chat could not use search_prompts: The user declined the call.').waitFor();
});

it('shows the best five prompts first, and all of them in the larger frame of the chat', async () => {
  for (let number = 0; number < 8; number++)
    rig.addCommand(`berth-${number}`, '---\ndescription: Assign a berth.\n---\nAssign a berth.');
  const host = { displayMode: 'inline', availableDisplayModes: ['inline', 'fullscreen'] };
  const app = await rig.show({ tool: 'search_prompts', args: { query: 'berth' }, host, width: 400 });
  const { page, view } = app;
  await view.getByRole('heading', { name: 'Prompts for “berth”' }).waitFor();
  await view
    .getByRole('button', { name: /^berth/ })
    .first()
    .waitFor();
  expect(await view.getByRole('button', { name: /^berth/ }).count()).toBe(5);
  expect(await fitsAtOnce(app)).toBe(true);
  await expand(app);
  await expect.poll(() => page.evaluate('modes')).toEqual(['fullscreen']);
  await view.getByLabel('Search prompts').waitFor();
  await expect.poll(() => view.getByRole('button', { name: /^berth/ }).count()).toBe(8);
  await view.getByRole('button', { name: 'Show less' }).click();
  await view.locator('.chat-card').waitFor();
  expect(await page.evaluate('modes')).toEqual(['fullscreen', 'inline']);
});
