import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ToolArguments, ToolName } from '../../src/api.ts';
import { componentFile } from '../components.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import type { Page } from '../page/browser.ts';
import { callTool, dayFromNow } from '../page/calendar-client.ts';
import { axeViolations, PageServer } from '../page/page-server.ts';
import { bundle } from '../program.ts';

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
    ADJUTANT_DELEGATE_APPROVALS: 'ask',
    ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '1',
  });
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await model.close();
});

const call = <Name extends ToolName>(name: Name, args: ToolArguments<Name>) =>
  callTool<Record<string, unknown>>(server, name, args as object);

/** Starts a run that asks for permission to create a file outside its folder. */
async function ask(name: string): Promise<string> {
  const outside = join(server.home, name);
  const asking = {
    tool: 'exec_command',
    arguments: {
      cmd: `touch ${outside}`,
      sandbox_permissions: 'require_escalated',
      justification: 'to test',
    },
  };
  await call('delegate_run', {
    task: `Create ${name} ${script(asking, answer())}`,
    cwd: work,
    sandbox: 'workspace-write',
  });
  return outside;
}

const today = async (options = {}): Promise<Page> => {
  const page = await server.open(server.address, options);
  await page.goto(server.view('#/today'));
  return page;
};
const card = (page: Page) => page.locator('.approval');
const title = (page: Page) => page.evaluate<string>('document.title');

describe('a request for permission', () => {
  it('is a card with the whole command, which a key allows', async () => {
    const page = await today();
    await page.getByText('Nothing needs you').waitFor();
    const file = await ask('by-key');
    await card(page).locator('pre').getByText(`touch ${file}`).waitFor();
    await card(page)
      .getByText(/(min|s) left/)
      .waitFor();
    await card(page).getByText('to test').waitFor();
    expect(await title(page)).toBe('(1) Today · Adjutant');
    await page.getByRole('link', { name: 'Today 1 needs you' }).waitFor();
    expect(await page.evaluate<string>("document.querySelector('link[rel=icon]').href")).toMatch(/needs/);
    expect(await axeViolations(page)).toEqual([]);
    await card(page).locator('kbd').getByText('A').waitFor();
    await page.keyboard.press('a');
    await card(page).waitFor({ state: 'detached' });
    await expect.poll(() => existsSync(file), { timeout: 15_000 }).toBe(true);
    await page.getByText('Nothing needs you').waitFor();
    // The card disappears at once, the count when the server lists what still waits.
    await expect.poll(() => title(page), { timeout: 15_000 }).toBe('Today · Adjutant');
  }, 60_000);

  it('is what the run waits for in every list, and the palette finds it', async () => {
    const page = await today();
    const file = await ask('in-lists');
    await card(page).waitFor();
    const line = page.locator('.run-line').filter({ hasText: /in-lists/ });
    await line.getByText('Waiting for you').waitFor();
    expect(await line.locator('.spinner').count()).toBe(0);
    await page.evaluate("location.hash = '#/runs'");
    const row = page.locator('.list-row').filter({ hasText: /in-lists/ });
    await row.getByText('Waiting for you').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('waits for you');
    await page.getByRole('option', { name: /Allow this command\?.*Needs you/ }).click();
    await card(page)
      .getByRole('button', { name: /^Allow once/ })
      .click();
    await expect.poll(() => existsSync(file), { timeout: 15_000 }).toBe(true);
    await line.waitFor({ state: 'detached' });
  }, 60_000);

  it('on a phone › fits, and taps refuse it with a reason', async () => {
    const file = await ask('by-tap');
    const page = await today({ viewport: { width: 390, height: 800 } });
    await card(page).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await card(page)
      .getByRole('button', { name: /^Refuse/ })
      .click();
    await page.getByLabel(/Reason/).fill('Not here');
    await card(page).getByRole('button', { name: 'Refuse', exact: true }).click();
    await card(page).waitFor({ state: 'detached' });
    await page.getByText('Nothing needs you').waitFor();
    expect(existsSync(file)).toBe(false);
    const { runs } = (await call('list_runs', { limit: 1 })) as unknown as { runs: { run_id: string }[] };
    const { events } = await call('tail_run', { run_id: runs[0]!.run_id });
    expect(JSON.stringify(events)).toContain('Not here');
  }, 60_000);
});

it('a run that waits › is applied, and the toast takes that back', async () => {
  await call('delegate_run', {
    task: `Write the log ${script({ shell: 'echo high > tides.log' }, answer())}`,
    cwd: work,
    sandbox: 'workspace-write',
    apply: 'ask',
  });
  const page = await today();
  const need = page.getByRole('listitem', { name: /Write the log/ });
  await need.getByText(/1 file \+1 −0/).waitFor();
  await need.getByRole('button', { name: 'Apply 1 file' }).click();
  await need.waitFor({ state: 'detached' });
  expect(existsSync(join(work, 'tides.log'))).toBe(true);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => existsSync(join(work, 'tides.log'))).toBe(false);
}, 60_000);

it('a question of an agent › takes its answer, and the agent continues with it', async () => {
  await call('delegate_run', {
    task: `Paint it ${script(answer({ open_questions: ['Which colour?'] }))}`,
    cwd: work,
  });
  const page = await today();
  const need = page.getByRole('listitem', { name: 'Which colour?' });
  await need.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.getByLabel('Your answer').fill('Perhaps green');
  await page.reload();
  expect(await page.getByLabel('Your answer').inputValue()).toBe('Perhaps green');
  await page.getByLabel('Your answer').fill(`Blue. ${script(answer({ summary: 'It is blue.' }))}`);
  await page.getByRole('button', { name: 'Send answer' }).click();
  await need.waitFor({ state: 'detached' });
}, 60_000);

it('a routine that a client made › starts when it is confirmed', async () => {
  const routine = { name: 'night-tests', task: 'Run the tests', cwd: work, when: 'every day at 02:00' };
  await call('create_routine', routine);
  const page = await today();
  const need = page.getByRole('listitem', { name: 'Confirm the routine night-tests' });
  await need.getByRole('button', { name: 'Confirm', exact: true }).click();
  await need.waitFor({ state: 'detached' });
  await page.locator('.next-row time').waitFor();
}, 60_000);

it('the form of a new routine › lets its agent ask for permission, and tells nobody the result', async () => {
  const page = await today();
  await page.goto(server.view('#/routines/+new'));
  await page.getByLabel('Name').fill('deploy');
  await page.getByLabel('Task').fill('Deploy it');
  await page.getByLabel(/^When/).fill('every weekday at 07:00');
  await page.getByLabel(/^Working folder/).fill(work);
  await page.getByLabel('Sandbox').selectOption('workspace-write');
  await page.getByLabel('The agent may ask for permission').check();
  await page.getByLabel(/^Tell/).fill('nobody');
  await page.getByRole('button', { name: 'Create routine' }).click();
  await page.getByRole('heading', { name: 'deploy' }).waitFor();
  const { routines } = await call('list_routines', { routine: 'deploy' });
  const [created] = routines as object[];
  expect(created).toMatchObject({ status: 'active', asks: true, sandbox: 'workspace-write' });
  expect(created).not.toHaveProperty('notify');
}, 60_000);

describe('the day', () => {
  it('shows events with reminders, tasks that are overdue, and dismisses with undo', async () => {
    await call('create_user', { id: 'ada', name: 'Ada', email: 'ada@example.com', timezone: 'UTC' });
    const [yesterday, tomorrow] = [dayFromNow(-1), dayFromNow(1)];
    await call('create_event', { user_id: 'ada', title: 'Harbour review', start_ts: `${tomorrow}T12:00` });
    await call('create_event', { user_id: 'ada', title: 'Crane call', start_ts: `${tomorrow}T12:30` });
    await call('create_event', {
      user_id: 'ada',
      title: 'Tax',
      start_ts: `${yesterday}T12:00`,
      task: 'open',
    });
    const page = await today();
    const need = page.getByRole('listitem', { name: 'Harbour review and Crane call overlap' });
    await need.waitFor();
    await page.locator('.day-event b').getByText('Harbour review').waitFor();
    await page
      .locator('.day-event')
      .getByText(/overlaps Harbour review/)
      .waitFor();
    expect(await page.locator('.reminders').count()).toBeGreaterThan(0);
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: /^Dismiss Harbour review/ }).click();
    await need.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await need.waitFor();
    const task = page.getByRole('listitem', { name: 'Tax' });
    await task.getByRole('button', { name: 'Done' }).click();
    await task.waitFor({ state: 'detached' });
  }, 60_000);

  it('a token for one calendar › sees no runs, no server and no prompts', async () => {
    const args = ['tokens', 'create', 'phone', '--scope', 'calendar:ada', '--home', server.home, '--quiet'];
    const token = execFileSync(process.execPath, [bundle, ...args], { encoding: 'utf8' }).trim();
    const page = await server.open(server.address.replace(/token=.*/, `token=${token}`));
    await page.goto(server.view('#/today'));
    await page.locator('.day-event').first().waitFor();
    await page.getByRole('link', { name: 'Runs' }).waitFor({ state: 'detached' });
    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.nav-item .nav-label')].map((one) => one.textContent)",
    );
    expect(links.filter((one) => ['Today', 'Runs', 'Calendar', 'Prompts', 'Server'].includes(one))).toEqual([
      'Today',
      'Calendar',
    ]);
    expect(await page.locator('h2').getByText('Runs in progress').count()).toBe(0);
  }, 60_000);
});
