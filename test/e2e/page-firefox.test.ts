import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { installedFirefox } from '../page/browser.ts';
import { formsWith, putThings, typedIn, typeInto } from '../page/form-drafts.ts';
import { faultsOf } from '../page/layout-faults.ts';
import { axeViolations, PageServer } from '../page/page-server.ts';
import { fixedTime, putPictureData, time } from '../page/picture-data.ts';
import { setTheme, showView, views } from '../page/picture-views.ts';

const reason = 'there is no program firefox or firefox-esr in PATH';

const firefox = describe.skipIf(installedFirefox === undefined);

firefox(`views in Firefox (skipped if ${reason})`, () => {
  const server = serverIn();
  beforeAll(async () => {
    await server.start(fixedTime, ['--port', '0'], 'firefox');
    await putPictureData(server);
  }, 120_000);
  afterEach(() => server.closeWindows());
  afterAll(() => server.stop());

  it.each([
    { width: 390, height: 900, theme: 'light' },
    { width: 1280, height: 900, theme: 'dark' },
  ] as const)(
    'fit at $width pixels in both directions, and axe finds nothing ($theme)',
    {
      timeout: 600_000,
    },
    async ({ theme, ...viewport }) => {
      const page = await server.open(undefined, { clock: time, viewport });
      const found: string[] = [];
      for (const view of views) {
        await showView(page, view);
        await setTheme(page, theme);
        const faults = [...(await faultsOf(page, 'rtl')), ...(await faultsOf(page, 'ltr'))];
        for (const fault of [...faults, ...(await axeViolations(page))]) found.push(`${view.name}: ${fault}`);
      }
      expect(found).toEqual([]);
    },
  );
});

firefox(`forms in Firefox (skipped if ${reason})`, () => {
  const server = serverIn();
  beforeAll(() => server.start({ ADJUTANT_DELIVERY_WITH_SERVER: 'false' }, ['--port', '0'], 'firefox'));
  afterAll(() => server.stop());

  it('have what was typed after a reload', { timeout: 600_000 }, async () => {
    const page = await server.open();
    // An agent would have to ask for the others.
    const others = ['message', 'refusal', 'answer'];
    const ids = { ...(await putThings(server)), open: '', question: '' };
    const all = formsWith(ids).filter(([name]) => !others.includes(name));
    for (const [name, address] of all) {
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await typeInto(page, name);
    }
    for (const [name, address] of all) {
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
      await typedIn(page, name);
      await page.reload();
      expect(await typedIn(page, name), name).toBe(`typed ${name}`);
    }
  });
});

function serverIn(): PageServer {
  const server = new PageServer();
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  return server;
}
