import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { PageServer, seriousFaults, shows } from '../page-server.ts';

const server = new PageServer();
const work = join(server.home, 'work');
let model: Model;

beforeAll(async () => {
  model = await startResponsesModel();
  const codexHome = join(server.home, 'codex');
  mkdirSync(codexHome);
  mkdirSync(work);
  writeFileSync(join(codexHome, 'config.toml'), model.config);
  await server.start({
    CODEX_HOME: codexHome,
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
  });
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await model.close();
});

async function begin(task: string) {
  const page = await server.open();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByLabel('Task').fill(task);
  await page.getByLabel('Working folder').fill(work);
  await page.getByRole('button', { name: 'Start' }).click();
  return page;
}

describe('runs', () => {
  it('are started, watched as they go and read when they have ended', async () => {
    const done = answer({ summary: 'The harbour is open.', next_actions: ['Set sail'] });
    const page = await begin(
      `Look at the harbour ${script({ shell: 'echo the tide is high; sleep 1' }, done)}`,
    );
    await shows(page, /the tide is high/);
    await shows(page, 'The harbour is open.');
    await shows(page, 'Set sail');
    await page.getByRole('button', { name: 'result.json' }).click();
    await shows(page, /"status": "completed"/);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('are cancelled from the page', async () => {
    const page = await begin(`Wait for ever ${script({ hang: true })}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('article .badge.cancelled').waitFor();
  });
});
