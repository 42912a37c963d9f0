import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { componentFile } from '../components.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { AppRig, expand, findings, fitsAtOnce, type ShownApp } from './app-rig.ts';

vi.setConfig({ testTimeout: 60_000 });
let rig: AppRig;
let model: Model;
beforeAll(async () => {
  model = await startResponsesModel();
  rig = await AppRig.open({
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
    ADJUTANT_DELEGATE_APPROVALS: 'ask',
  });
  mkdirSync(join(rig.home, '.codex'));
  mkdirSync(join(rig.home, 'work'));
  writeFileSync(join(rig.home, '.codex/config.toml'), model.config);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await model.close();
});

/** Shows the view of a run while its call is in progress. */
function delegate(task: string, fields: object = {}, ...flags: readonly string[]): Promise<ShownApp> {
  const args = { task, cwd: join(rig.home, 'work'), skip_git_repo_check: true, ...fields };
  return rig.show({ tool: 'delegate_run', args, waitsForResult: false, width: 400 }, ...flags);
}

it('shows commands and their output, takes a message for the agent, and shows the result', async () => {
  const go = join(rig.home, 'work', 'go');
  const shell = `echo the tide is high; until [ -e ${go} ]; do sleep 0.2; done`;
  const app = await delegate(`Look ${script({ shell, timeoutMs: 25_000 }, answer())}`);
  const { view } = app;
  await view.locator('.chat-card .state').getByText('Running').waitFor();
  await view
    .locator('.chat-row code')
    .getByText(/echo the tide is high/)
    .waitFor();
  expect(await view.locator('.timeline, button.danger, form').count()).toBe(0);
  expect(await fitsAtOnce(app)).toBe(true);
  await expand(app);
  await view
    .locator('.timeline')
    .getByText(/the tide is high/)
    .first()
    .waitFor();
  expect(await findings(app)).toEqual([]);
  await view
    .getByLabel('Message to the agent')
    .fill(`Look left. ${script(answer({ summary: 'Harbour open.' }))}`);
  await view.getByRole('button', { name: 'Send' }).click();
  await view.getByText('The agent has the message.').waitFor();
  writeFileSync(go, '');
  await view.locator('.state').getByText('Done').waitFor();
  await view.getByText('Harbour open.').first().waitFor();
  await view.getByRole('button', { name: 'Show less' }).click();
  await view.locator('.chat-card .chat-text').getByText('Harbour open.').waitFor();
  expect(await view.locator('.chat-row').count()).toBeLessThanOrEqual(3);
});

it('answers a request for permission', async () => {
  const file = join(rig.home, 'asked');
  const asks: Turn = {
    tool: 'exec_command',
    arguments: {
      cmd: `touch ${file}`,
      sandbox_permissions: 'require_escalated',
      justification: 'The file is outside.',
    },
  };
  const app = await delegate(`Ask ${script(asks, answer())}`, { sandbox: 'workspace-write' });
  await app.view.locator('.chat-card .approval').getByText('The file is outside.').waitFor();
  await app.view.locator('.chat-card .state').getByText('Waiting for you').waitFor();
  await app.view.locator('.approval pre').getByText(`touch ${file}`).waitFor();
  expect(await fitsAtOnce(app)).toBe(true);
  await app.view.getByRole('button', { name: 'Allow once' }).click();
  await app.view.locator('.state').getByText('Done').waitFor();
  expect(existsSync(file)).toBe(true);
});

it('says that a run waits for other runs, not for the person', async () => {
  const { view } = await delegate(`Wait ${script({ hang: true })}`);
  await view.locator('.state').getByText('Running').waitFor();
  const queued = await delegate(`Look ${script(answer())}`, {}, '--delegate-max-parallel', '1');
  await queued.view.locator('.state').getByText('Waiting for other runs').waitFor();
  await view.getByRole('button', { name: 'Show more' }).click();
  await view.getByRole('button', { name: 'Cancel run' }).click();
  await queued.view.locator('.state').getByText('Done').waitFor();
});

it('cancels the run, and says so if the chat refuses', async () => {
  const task = `Wait ${script({ hang: true })} ${'and wait '.repeat(20)}`;
  const app = await delegate(task);
  const { page, view } = app;
  await expand(app);
  const cancel = view.getByRole('button', { name: 'Cancel run' });
  await cancel.waitFor();
  await page.evaluate("refused.push('cancel_run')");
  await cancel.click();
  await view.getByText('The chat could not use cancel_run: The user declined the call.').waitFor();
  await page.evaluate('refused.splice(0)');
  await cancel.click();
  await view.locator('.state').getByText('Cancelled').waitFor();
});

it('follows a cancellation by another client, and says why a call failed', async () => {
  const other = await delegate(`Wait ${script({ hang: true })}`);
  await other.view.locator('.state').getByText('Running').waitFor();
  const call = await rig.otherClient();
  const { runs } = await call<{ runs: { run_id: string }[] }>('list_runs', {});
  await call('cancel_run', { run_id: runs[0]!.run_id });
  await other.view.locator('.state').getByText('Cancelled').waitFor();
  await other.page.evaluate('loseServer()');
  await other.view.getByText(/^The chat could not use list_runs: .*(closed|connect)/i).waitFor();
  await other.page.evaluate('hang()');
  await other.view.getByText('The chat does not answer. This view may be out of date.').waitFor();

  const failed = await delegate('Look', { cwd: '/no/such/folder' });
  await failed.view
    .getByText(/no\/such\/folder/)
    .first()
    .waitFor();
});
