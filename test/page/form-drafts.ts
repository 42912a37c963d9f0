import { vi } from 'vitest';
import { type FormName, forms } from '../../src/web/page/shared/draft-storage.ts';
import type { Locator, Page } from './browser.ts';

/** The forms whose addresses contain only these ids, with the ids filled in. */
export function formsWith(ids: Readonly<Record<string, string>>): readonly (readonly [FormName, string])[] {
  return Object.entries(forms).flatMap(([name, address]) => {
    const needed = [...address.matchAll(/\{(\w+)\}/g)].map(([, word]) => word!);
    if (needed.some((word) => !(word in ids))) return [];
    return [[name as FormName, address.replace(/\{(\w+)\}/g, (_, word) => ids[word]!)] as const];
  });
}

const textFields = ':is(input:is([type=text], [type=email], [type=url], :not([type])), textarea)';

async function form(page: Page, name: FormName): Promise<Locator> {
  const selector = `[data-form="${name}"]`;
  // Some forms are below a summary.
  const isShown = `(() => {
    const form = document.querySelector(${JSON.stringify(selector)});
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
