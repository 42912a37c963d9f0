import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { putFinishedRun } from '../finished-run.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { PageServer, seriousFaults, shows } from '../page-server.ts';

const server = new PageServer();
const work = join(server.home, 'work');
let model: Model;

beforeAll(async () => {
  model = await startResponsesModel();
  const codexHome = join(server.home, 'codex');
  mkdirSync(codexHome);
  mkdirSync(work);
  execFileSync('git', ['init', '-q'], { cwd: work });
  writeFileSync(join(work, 'tides.txt'), 'low');
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

async function begin(
  task: string,
  fields: { readonly sandbox?: string; readonly kind?: string; readonly folder?: string } = {},
) {
  const page = await server.open();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByLabel('Task').fill(task);
  await page.getByLabel(/^Working folder/).fill(fields.folder ?? work);
  await page.getByLabel('Sandbox').selectOption(fields.sandbox ?? 'read-only');
  await page.getByLabel('Kind').selectOption(fields.kind ?? 'delegate_run');
  await page.getByRole('button', { name: 'Start' }).click();
  return page;
}

const markTailInVain = `{
  const { fetch } = window;
  window.fetch = (url, options) => fetch(url, options).catch((error) => {
    if (options.body.includes('tail_run')) document.documentElement.dataset.vain = '';
    throw error;
  });
}`;

describe('runs', () => {
  it('that cannot begin say why', async () => {
    const page = await begin('Look', { folder: '/no/such/folder' });
    await page.locator('article .badge.failed').waitFor();
    await page
      .locator('article .problem')
      .getByText(/no\/such\/folder/)
      .waitFor();
  });

  it('are started, watched as they go and read when they have ended', async () => {
    const done = answer({ summary: 'The harbour is open.', next_actions: ['Set sail'] });
    const page = await begin(
      `Look at the harbour ${script({ shell: 'echo the tide is high; sleep 1' }, done)}`,
    );
    await shows(page, /the tide is high/);
    await shows(page, 'The harbour is open.');
    await shows(page, 'Set sail');
    // In the list and beside the run: 100 in and 20 out at each of the two turns.
    await page.locator('.row .number').getByText('240 tok').first().waitFor();
    await page.locator('.facts').getByText('240 tok').waitFor();
    await page.getByRole('button', { name: 'result.json' }).click();
    await shows(page, /"status": "completed"/);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('show what they changed, file by file', async () => {
    const page = await begin(
      `Write the tides ${script({ shell: 'echo high >> tides.txt; printf "\\0\\1" > moon.bin' }, answer())}`,
      { sandbox: 'workspace-write' },
    );
    const tides = page.locator('.patch details').nth(1);
    await tides.locator('tr.added .line-mark').getByText('+').waitFor();
    expect(await tides.locator('tr.added .line-text').textContent()).toBe('lowhigh');
    expect(await tides.locator('summary').textContent()).toContain('+1 −1');
    await page.locator('.patch summary').getByText('moon.bin').waitFor();
    await page.locator('.patch summary').getByText('binary').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('show a long change bit by bit, and every file of it folded', async () => {
    const page = await begin(
      `Write much ${script({ shell: 'seq 1 2000 > numbers.txt; for i in $(seq 1 119); do echo $i > file-$i.txt; done' }, answer())}`,
      { sandbox: 'workspace-write' },
    );
    await shows(page, 'Show 20 of 20 more files');
    const numbers = page.locator('.patch details').getByText('numbers.txt');
    await page.getByRole('button', { name: 'Show 20 of 20 more files' }).click();
    await numbers.click();
    await page.getByRole('button', { name: /^Show 500 of \d+ more lines$/ }).click();
    expect(await page.locator('.patch-lines tr').count()).toBeLessThan(1500);
  });

  it('of an autopilot show their jobs as a graph and on an axis of time', async () => {
    const job = (id: string, depends_on: readonly string[], ...turns: readonly Turn[]) => ({
      id,
      title: `Job ${id}`,
      thinking_level: 'medium',
      role: null,
      task: `Do ${id}. ${script(...turns)}`,
      sandbox: 'read-only',
      depends_on,
      writes: [],
      skills: [],
      acceptance: [],
    });
    const jobs = [
      job('look', [], answer({ summary: 'Looked at it.' })),
      job(
        'sum',
        ['look'],
        answer({
          summary: 'It all adds up.',
          deliverables: [{ path: 'ghost.txt', description: 'Promised' }],
        }),
      ),
    ];
    const plan = { should_delegate: true, reason: 'Many parts.', jobs };
    const page = await begin(
      `Refactor the parser, update the tests and rewrite the docs. ${script({ say: JSON.stringify(plan) })}`,
      { kind: 'delegate_autopilot' },
    );
    await page.locator('article .facts .badge.completed').waitFor();
    await page.getByRole('button', { name: /Job sum.*completed/ }).click();
    await page.getByRole('region', { name: 'Job Job sum' }).getByText('It all adds up.').waitFor();
    await page.getByRole('region', { name: 'Job Job sum' }).getByText('is not there').waitFor();
    expect(await page.locator('.job-graph svg path[marker-end]').count()).toBe(1);
    expect(await page.locator('.job-time').count()).toBe(2);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it('are shown by a sample to those who have none, with graph, evidence and change', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Load sample data' }).click();
    await shows(page, /^The sample data is in/);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(/^Sample: look at the harbour/).click();
    await page.getByRole('button', { name: /^Compare the docs.*completed/ }).waitFor();
    await page.locator('.evidence').getByText('is not there').first().waitFor();
    await page.getByRole('button', { name: /^Read the tides.*completed/ }).click();
    await page.locator('.card .patch summary').getByText('tides.txt').waitFor();
    await page.locator('.timeline .command.failed').waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Remove sample data' }).click();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(/^Sample: look at the harbour/).waitFor({ state: 'detached' });
  });

  it('are cancelled from the page', async () => {
    const page = await begin(`Wait for ever ${script({ hang: true })}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('article .badge.cancelled').waitFor();
  });

  it('go on from where they ended, as a run of their own', async () => {
    const page = await begin(`Begin ${script(answer({ summary: 'Begun.' }))}`);
    await shows(page, 'Begun.');
    const before = page.url();
    await page.getByLabel('What to do next').fill(`More ${script(answer({ summary: 'Went on.' }))}`);
    await page.getByRole('button', { name: 'Resume from here' }).click();
    await shows(page, 'Went on.');
    expect(page.url()).not.toBe(before);
  });

  it('are still to be read when the server was away', async () => {
    const page = await begin(`Wait for the server ${script({ hang: true })}`);
    await page.locator('ol.timeline').waitFor();
    await page.evaluate(markTailInVain);
    await server.stopServer();
    await page.locator('html[data-vain]').waitFor();
    await server.startServer();
    await page.locator('.live.on').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('article .badge.cancelled').waitFor();
    await page.locator('ol.timeline').waitFor();
  });

  it('of a tab that was closed go on', async () => {
    const page = await begin(
      `Take your time ${script({ shell: 'sleep 2' }, answer({ summary: 'Took it.' }))}`,
    );
    await page.locator('article .badge.running').waitFor();
    const run = page.url().replace(/.*#/, '#');
    await server.closeWindows();
    const other = await server.open();
    await other.goto(server.view(run));
    await shows(other, 'Took it.');
  });

  it('are all there, also where they are more than one page', async () => {
    for (let index = 0; index < 130; index++) putFinishedRun(join(server.home, 'runs'), index);
    const page = await server.open();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByLabel('Search runs').fill('Task');
    await shows(page, /^1[3-9]\d runs$/);
    await page.getByLabel('Search runs').fill('Task 29');
    await shows(page, /^Task 29$/);
  });
});
