import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type FormName, forms } from '../../src/web/page/shared/draft-storage.ts';
import { putFinishedRun } from '../delegate/finished-run.ts';
import type { Locator, Page } from './browser.ts';
import { callTool, dayFromNow } from './calendar-client.ts';
import type { PageServer } from './page-server.ts';

/** Every form and its address, with the ids filled in. */
export function formsWith(ids: Readonly<Record<string, string>>): readonly (readonly [FormName, string])[] {
  return Object.entries(forms).map(([name, address]) => [
    name as FormName,
    address.replace(/\{(\w+)\}/g, (_, word) => {
      if (ids[word] === undefined) throw new Error(`The address of the form "${name}" needs {${word}}.`);
      return ids[word];
    }),
  ]);
}

/** Makes what most forms are about. Returns the ids for their addresses. */
export async function putThings(server: PageServer): Promise<Readonly<Record<string, string>>> {
  const { users } = await callTool<{ users: { id: string }[] }>(server, 'list_users', {});
  const ada = { name: 'Ada', email: 'ada@example.com', timezone: 'UTC' };
  // A retry finds the person, whom the form for a reminder needs to be the only one.
  const { id: person } = users[0] ?? (await callTool<{ id: string }>(server, 'create_user', ada));
  const { id: event } = await callTool<{ id: string }>(server, 'create_event', {
    ...{ user_id: person, title: 'Dentist', start_ts: `${dayFromNow(1)}T10:00` },
  });
  const text = { type: 'text', text: 'About {{topic}}' };
  const asks = {
    ...{ name: 'asks', title: 'asks', arguments: [{ name: 'topic' }] },
    messages: [{ role: 'user', content: text }],
  };
  writeFileSync(join(server.home, 'prompts', 'user.jsonl'), `${JSON.stringify(asks)}\n`);
  const runs = join(server.home, 'runs');
  // Of yesterday, because the server removes old runs. Runs are numbered by the minutes since the start of 2026.
  const run = putFinishedRun(runs, Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 60_000) - 1440);
  const result = join(runs, run, 'result.json');
  const thread_id = '00000000-0000-4000-8000-000000000000';
  writeFileSync(result, JSON.stringify({ ...JSON.parse(readFileSync(result, 'utf8')), thread_id }));
  writeFileSync(
    join(runs, run, 'changes.patch'),
    'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n',
  );
  return { prompt: 'asks', person, event, run };
}

/** The buttons that show a form which the address alone does not show. */
const openers: Partial<Readonly<Record<FormName, string>>> = { refusal: 'Refuse…', 'bulk tag': 'Select' };

const textFields = ':is(input:is([type=text], [type=email], [type=url], :not([type])), textarea)';

async function form(page: Page, name: FormName): Promise<Locator> {
  const selector = `[data-form="${name}"]`;
  // Some forms are below a summary, and some behind a button.
  const isShown = `(() => {
    const form = document.querySelector(${JSON.stringify(selector)});
    const opener = ${JSON.stringify(openers[name] ?? '')};
    if (!form && opener !== '')
      [...document.querySelectorAll('main button')].find((one) => one.textContent.startsWith(opener))?.click();
    form?.closest('details')?.setAttribute('open', '');
    return form?.checkVisibility() === true;
  })()`;
  await vi
    .waitUntil(() => page.evaluate<boolean>(isShown), { timeout: 15_000 })
    .catch(async () => {
      throw new Error(`The form "${name}" is not shown at ${await page.evaluate('location.hash')}.`);
    });
  return page.locator(selector).first();
}

/** The last text field that is not a secret: what comes first is often the name of the thing. */
async function lastField(one: Locator): Promise<Locator> {
  const fields = one.locator(`${textFields}:not([readonly])`);
  await fields.first().waitFor();
  return fields.nth((await fields.count()) - 1);
}

/** Types into a form, as far as every form allows it. */
export async function typeInto(page: Page, name: FormName): Promise<void> {
  const one = await form(page, name);
  const checks = one.locator('input[type=checkbox]');
  for (let index = 0; index < (await checks.count()); index++) await checks.nth(index).check();
  await (await lastField(one)).fill(`typed ${name}`);
}

/** What the field holds into which was typed, once it holds something. */
export async function typedIn(page: Page, name: FormName): Promise<string> {
  const field = await lastField(await form(page, name));
  const holds = async () => (await field.inputValue()) === `typed ${name}`;
  await vi.waitUntil(holds, { timeout: 5000 }).catch(() => {});
  return field.inputValue();
}
