import { vi } from 'vitest';
import { type FormName, forms } from '../../src/web/page/shared/draft-storage.ts';
import type { Locator, Page } from './browser.ts';

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
