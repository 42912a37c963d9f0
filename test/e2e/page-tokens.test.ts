import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { httpClient } from '../identity/http-client.ts';
import type { Page } from '../page/browser.ts';
import { callTool } from '../page/calendar-client.ts';
import { axeViolations, PageServer, shows } from '../page/page-server.ts';

vi.setConfig({ testTimeout: 60_000 });
const server = new PageServer();
beforeAll(async () => {
  await server.start();
  await callTool(server, 'create_user', { id: 'ada', name: 'Ada' });
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

const form = (page: Page) => page.getByRole('form', { name: 'New token' });
const secretOf = async (page: Page) => (await page.locator('.secret').textContent())!;
/** The status of a request with this token. */
const statusOf = async (token: string) =>
  (await httpClient(server.view('').replace(/\/$/, ''), token).post({ method: 'ping' })).status;

/** Opens the server view and creates a token on it. */
async function create(
  page: Page,
  name: string,
  scopes: readonly string[],
  expires = 'Never',
): Promise<string> {
  await page.goto(server.view('#/server'));
  await page.getByRole('button', { name: 'New token' }).click();
  await form(page).getByLabel('Name').fill(name);
  for (const scope of scopes) await form(page).getByLabel(scope).check();
  await form(page).getByLabel('Expires').selectOption(expires);
  await form(page).getByRole('button', { name: 'Create token' }).click();
  await shows(page, 'Copy the token now.');
  return secretOf(page);
}

/** All files below a folder that contain a text. */
function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile() && readFileSync(path).includes(text));
}

it('creates a token that is shown once, works at once, and is stored nowhere', async () => {
  const page = await server.open();
  const token = await create(
    page,
    'laptop',
    ['Calendar of Ada calendar:ada', 'Read and use prompts read'],
    'In 30 days',
  );
  expect(token).toMatch(/^adjutant_laptop_/);
  expect(await axeViolations(page)).toEqual([]);
  expect(await statusOf(token)).not.toBe(401);
  await page.getByRole('button', { name: 'Copy' }).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page
    .locator('tr')
    .filter({ hasText: /laptop/ })
    .getByText('calendar:ada, read')
    .waitFor();
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(token);
  expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).not.toContain(
    token,
  );
  expect(filesWith(server.home, token)).toEqual([]);
  const { tokens } = await callTool<{ tokens: object[] }>(server, 'server_status', { full: true });
  expect(tokens).toMatchObject([
    { name: 'laptop', scopes: ['calendar:ada', 'read'], expires_at: expect.any(String) },
  ]);
  // The entry in the log names the token, not its secret.
  const { entries } = await callTool<{ entries: { action: string; target: string }[] }>(
    server,
    'list_activity',
    {},
  );
  expect(entries).toContainEqual(expect.objectContaining({ action: 'create_token', target: 'name=laptop' }));
  await page.getByRole('button', { name: 'Revoke laptop…' }).click();
  await page.getByRole('button', { name: 'Revoke laptop', exact: true }).click();
  await page
    .locator('tr')
    .filter({ hasText: /laptop/ })
    .waitFor({ state: 'detached' });
  expect(await statusOf(token)).toBe(401);
});

it('says why a token cannot be created', async () => {
  const page = await server.open();
  await create(page, 'twice', ['Change prompts prompts:write']);
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'New token' }).click();
  await form(page).getByLabel('Name').fill('twice');
  await form(page).getByRole('button', { name: 'Create token' }).click();
  await form(page).getByRole('alert').getByText('Choose at least one thing').waitFor();
  await form(page).getByLabel('Everything, like you admin').check();
  await form(page).getByRole('button', { name: 'Create token' }).click();
  await form(page).getByRole('alert').getByText('there is already a token "twice"').waitFor();
  expect(await axeViolations(page)).toEqual([]);
});

it('is refused to everybody but the owner and administrators, and to models', async () => {
  const page = await server.open();
  const reader = await create(page, 'reader', ['Read and use prompts read']);
  const ofReader = await server.open(server.address.replace(/#.*/, `#token=${reader}`));
  await ofReader.goto(server.view('#/server'));
  await shows(ofReader, /This token may not use Server/);
  expect(await ofReader.getByRole('button', { name: 'New token' }).count()).toBe(0);
  const request = { name: 'create_token', arguments: { name: 'more', scopes: ['admin'] } };
  const address = server.view('').replace(/\/$/, '');
  const refused = await httpClient(address, reader).modern()('tools/call', request);
  expect(JSON.stringify(refused)).toContain('needs a token with the scope admin');
  const owner = /token=(.*)/.exec(server.address)![1]!;
  const ofModel = await httpClient(address, owner).modern()('tools/call', request);
  expect(JSON.stringify(ofModel)).toContain('it is for the page only');
  const hidden = { name: 'call_tool', arguments: request };
  expect(JSON.stringify(await httpClient(address, owner).modern()('tools/call', hidden))).toContain(
    'it is for the page only',
  );
  expect(readdirSync(join(server.home, 'tokens'))).not.toContain('token-more.json');
});
