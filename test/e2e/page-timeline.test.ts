import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { putFinishedRun } from '../delegate/finished-run.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import type { Page } from '../page/browser.ts';
import { callTool } from '../page/calendar-client.ts';
import { PageServer } from '../page/page-server.ts';

const server = new PageServer();
const work = join(server.home, 'work');
let model: Model;

beforeAll(async () => {
  model = await startResponsesModel();
  const codexHome = join(server.home, 'codex');
  mkdirSync(codexHome);
  mkdirSync(work);
  execFileSync('git', ['init', '-q'], { cwd: work });
  writeFileSync(join(codexHome, 'config.toml'), model.config);
  await server.start({
    HOME: server.home,
    CODEX_HOME: codexHome,
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
    ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '1',
  });
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await model.close();
});

const scroller = "(document.querySelector('.timeline').closest('.detail') ?? document.scrollingElement)";
const scrollTo = (page: Page, top: number) => page.evaluate(`${scroller}.scrollTo({ top: ${top} })`);
const scrolled = (page: Page) =>
  page.evaluate<{ top: number; left: number }>(
    `(({ scrollTop, scrollHeight, clientHeight }) => ({ top: scrollTop, left: scrollHeight - scrollTop - clientHeight }))(${scroller})`,
  );

it('a run in progress › is followed at its end, and stays where somebody reads above', async () => {
  const lines = Array.from({ length: 12 }, (_, index) => ({ shell: `echo line ${index}` }));
  /** A command that ends when the test has created a file. */
  const until = (name: string) => ({
    shell: `while [ ! -e ${name} ]; do sleep 0.1; done; echo saw ${name}`,
    timeoutMs: 60_000,
  });
  const turns = [...lines, until('first'), { shell: 'echo between' }, until('second'), until('third')];
  const { run_id } = await callTool<{ run_id: string }>(server, 'delegate_run', {
    ...{ task: `Count ${script(...turns, answer())}`, cwd: work },
  });
  const page = await server.open(server.address, { viewport: { width: 1280, height: 400 } });
  await page.evaluate(`location.hash = '#/runs/${run_id}/steps'`);
  const step = (text: string) => page.locator('.timeline code').getByText(text, { exact: true });
  await step('while [ ! -e first ]; do sleep 0.1; done; echo saw first').waitFor();
  await expect.poll(async () => (await scrolled(page)).left).toBeLessThan(5);
  expect((await scrolled(page)).top).toBeGreaterThan(100);
  await scrollTo(page, 40);
  writeFileSync(join(work, 'first'), '');
  await step('echo between').waitFor();
  await page
    .locator('.timeline code')
    .getByText(/saw second/)
    .waitFor();
  expect((await scrolled(page)).top).toBe(40);
  await scrollTo(page, 1e6);
  await expect.poll(async () => (await scrolled(page)).left).toBeLessThan(5);
  writeFileSync(join(work, 'second'), '');
  await page
    .locator('.timeline code')
    .getByText(/saw third/)
    .waitFor();
  await expect.poll(async () => (await scrolled(page)).left).toBeLessThan(5);
  writeFileSync(join(work, 'third'), '');
}, 90_000);

it('a run of many steps › shows them in parts, and jumps to a failure in any of them', async () => {
  const runs = join(server.home, 'runs');
  const id = putFinishedRun(runs, 7000);
  const event = (index: number) => ({
    type: 'item.completed',
    item: {
      ...{ id: `item_${index}`, type: 'command_execution', command: `echo ${index}` },
      ...{ aggregated_output: `${index}\n`, exit_code: index === 900 ? 3 : 0, status: 'completed' },
    },
  });
  const events = Array.from({ length: 1200 }, (_, index) => `${JSON.stringify(event(index))}\n`);
  writeFileSync(join(runs, id, 'events.jsonl'), events.join(''));
  const page = await server.open();
  await page.evaluate(`location.hash = '#/runs/${id}/steps'`);
  await page.getByRole('button', { name: 'Show 500 of 700 more steps' }).waitFor();
  expect(await page.locator('.timeline .step').count()).toBe(500);
  await page.getByRole('button', { name: '1 failure' }).click();
  const failed = page.locator('.timeline .failed');
  await failed.getByText('echo 900').waitFor();
  const top = "document.querySelector('.timeline .failed').getBoundingClientRect().top";
  await expect.poll(() => page.evaluate(`${top} > 0 && ${top} < innerHeight`)).toBe(true);
});
