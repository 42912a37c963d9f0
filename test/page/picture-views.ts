import type { Page } from './browser.ts';

/** A view of the page to take a picture of. */
export interface PictureView {
  readonly name: string;
  readonly hash: string;
  /** Visible when the view has loaded. */
  readonly shows: string;
  prepare?(page: Page): Promise<void>;
}

/** Shows a view, and what it loads later, such as previews and suggestions. */
export async function showView(page: Page, { hash, shows, prepare }: PictureView): Promise<void> {
  await page.evaluate(`location.hash = '#/'`);
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await page.reload();
  await page.locator(`${shows} >> visible=true`).first().waitFor();
  await prepare?.(page);
  await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
}

/** Shows a view in a theme. Firefox cannot be told which colours to prefer, so the page is told as well. */
export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
}

const button =
  (name: RegExp, then: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name }).first().click();
    await page.locator(then).first().waitFor();
  };
const layout = (name: string, then: string) => async (page: Page) => {
  await page.getByRole('tab', { name }).click();
  await page.locator(then).first().waitFor();
};
const panel = (name: RegExp, then: string) => ({
  hash: '#/calendar/demo-ada?show=week',
  shows: '.calendar-body',
  prepare: button(name, `.panel ${then}`),
});
const opened = (part: string, then: string) => ({
  hash: `#/calendar/demo-ada/${part}`,
  shows: `.panel ${then}`,
});
const run = (task: string, then: string) => ({
  hash: '#/runs',
  shows: '.list-row',
  async prepare(page: Page) {
    await page.locator('.list-row').getByText(task).first().click();
    await page.locator(then).first().waitFor();
  },
});

/** A request of an agent, as the server tells it. */
const request = {
  ...{ what: 'command', command: 'npm install --save-dev vitest', cwd: '/home/ada/harbour' },
  ...{ reason: 'The tests need a runner.', decisions: ['allow_once', 'allow_run', 'refuse'] },
};
const asked = { since: '2026-06-03T09:18:00Z', expires_at: '2026-06-03T09:25:00Z' };

/** Makes the server's answers say that its newest run asks for permission: an agent that asks is not the same twice. */
const asking = async (page: Page): Promise<void> => {
  await page.evaluate(`{
    const { fetch } = window;
    const change = {
      list_runs: ({ runs }) => { if (runs[0]) runs[0].status = 'running'; },
      show_run: (run) => {
        run.status = 'running';
        run.approvals = [${JSON.stringify({ ...request, id: '1', asked_at: asked.since, expires_at: asked.expires_at })}];
      },
      list_inbox: (inbox) => {
        inbox.items.unshift(${JSON.stringify({
          ...{ id: 'approval/1', kind: 'approval', title: 'Allow this command?', page: '/#/runs' },
          ...{ detail: 'Look at the harbour · codex in ~/harbour', ...asked },
          request: {
            ...request,
            ...{
              run_id: 'RUN',
              approval_id: '1',
              gains: 'It may use the network and write outside its folder.',
            },
          },
          actions: ['Allow once', 'Allow for this run', 'Refuse'].map((label) => ({
            ...{ label, tool: 'answer_approval', arguments: {} },
          })),
        })});
        inbox.items[0].request.run_id = window.askingRun ?? '';
        inbox.count += 1;
      },
    };
    window.fetch = async (url, options) => {
      const response = await fetch(url, options);
      const name = options?.headers?.['mcp-name'];
      if (!(name in change) || !response.headers.get('content-type')?.includes('json')) return response;
      const reply = await response.json();
      if (reply.result?.structuredContent) change[name](reply.result.structuredContent);
      if (name === 'list_runs') window.askingRun = reply.result.structuredContent.runs[0]?.run_id;
      return new Response(JSON.stringify(reply), { headers: { 'content-type': 'application/json' } });
    };
  }`);
};

/** Views without any data. */
export const emptyViews: readonly PictureView[] = [
  { name: 'first-run', hash: '#/prompts/+start', shows: '.first-steps li .problems li' },
  { name: 'runs-empty', hash: '#/runs', shows: '.empty a' },
  { name: 'today-empty', hash: '#/today', shows: '.nothing' },
  { name: 'routines-empty', hash: '#/routines', shows: '.empty a' },
  { name: 'calendar-empty', hash: '#/calendar', shows: 'form' },
];

/** Views with the sample data, the prompt `greet` and a finished run with changes. */
export const views: readonly PictureView[] = [
  { name: 'today', hash: '#/today', shows: '.day-list .day-event' },
  {
    name: 'today-asking',
    hash: '#/runs',
    shows: '.list-row',
    async prepare(page) {
      await asking(page);
      await page.evaluate("location.hash = '#/today'");
      await page.locator('.approval').waitFor();
    },
  },
  {
    name: 'run-asking',
    hash: '#/today',
    shows: '.day-list .day-event',
    async prepare(page) {
      await asking(page);
      await page.evaluate("location.hash = '#/runs'");
      await page.locator('.state.needs').first().waitFor();
      await page.locator('.list-row').first().click();
      await page.locator('.approval').waitFor();
    },
  },
  { name: 'prompts', hash: '#/prompts', shows: '.list-row' },
  {
    name: 'prompt',
    hash: '#/prompts/demo:review',
    shows: '.use-template pre',
    async prepare(page) {
      await page.getByLabel(/^diff/).fill('- return tides[0]\n+ return tides.at(-1)');
      await page
        .locator('.use-result pre')
        .getByText(/tides.at/)
        .waitFor();
    },
  },
  { name: 'prompt-try', hash: '#/prompts/greet/try', shows: '.use-result button' },
  { name: 'prompt-edit', hash: '#/prompts/greet/edit', shows: 'form.editor textarea' },
  { name: 'prompt-history', hash: '#/prompts/greet/history', shows: 'article button.small' },
  { name: 'prompt-exchange', hash: '#/prompts/+exchange', shows: '.detail h1' },
  { name: 'prompt-trash', hash: '#/prompts/+trash', shows: '.detail h1' },
  { name: 'prompt-problems', hash: '#/prompts/+problems', shows: '.detail h1' },
  { name: 'runs', hash: '#/runs', shows: '.list-row' },
  { name: 'run-jobs', ...run('Sample: look at the harbour', '.timeline li') },
  { name: 'run-review', ...run('Task', '.patch details') },
  { name: 'run-new', hash: '#/runs/+new', shows: 'form.editor' },
  { name: 'routines', hash: '#/routines', shows: '.routine-row' },
  { name: 'routine', hash: '#/routines/Morning brief', shows: '.inspector .facts' },
  { name: 'routine-new', hash: '#/routines/+new', shows: 'form.editor' },
  { name: 'run-statistics', hash: '#/runs/+statistics', shows: '.detail table' },
  {
    name: 'calendar-week',
    hash: '#/calendar/demo-ada',
    shows: '.calendar-body',
    prepare: layout('Week', '.week .event'),
  },
  {
    name: 'calendar-month',
    hash: '#/calendar/demo-ada',
    shows: '.calendar-body',
    prepare: layout('Month', '.month .event'),
  },
  {
    name: 'calendar-agenda',
    hash: '#/calendar/demo-ada',
    shows: '.calendar-body',
    prepare: layout('Agenda', '.agenda-row'),
  },
  { name: 'calendar-event', ...panel(/Design review/, '.notification') },
  { name: 'calendar-new-event', ...panel(/^New event$/, 'form') },
  { name: 'calendar-find', ...opened('find', 'form') },
  { name: 'calendar-calendars', ...opened('calendars', 'form') },
  { name: 'calendar-person', ...opened('settings', 'form fieldset') },
  {
    name: 'server',
    hash: '#/server',
    shows: '.problems li',
    async prepare(page) {
      // The times of the requests differ from run to run.
      await page.evaluate(
        `document.querySelector('[aria-label="Requests of clients"] tbody').style.visibility = 'hidden'`,
      );
    },
  },
  { name: 'server-plan', hash: '#/server/+messages/plan', shows: '.messages .plan' },
  { name: 'server-outbox', hash: '#/server/+messages', shows: '.messages details' },
  { name: 'server-activity', hash: '#/server/+activity', shows: 'table' },
  { name: 'server-settings', hash: '#/server/+settings', shows: 'table' },
  { name: 'server-tool', hash: '#/server/+tools/create_event', shows: 'form button' },
  {
    name: 'palette',
    hash: '#/prompts',
    shows: '.list-row',
    async prepare(page) {
      await page.keyboard.press('Control+k');
      await page.locator('.palette [role="option"]').first().waitFor();
    },
  },
  {
    name: 'shortcuts',
    hash: '#/prompts',
    shows: '.list-row',
    async prepare(page) {
      await page.keyboard.press('?');
      await page.locator('.dialog dl').first().waitFor();
    },
  },
];

/** Views of a full week of six calendars. */
export const denseViews: readonly PictureView[] = [
  { name: 'calendar-dense', hash: '#/calendar/grace?show=week', shows: '.cluster' },
  {
    name: 'calendar-dense-event',
    hash: '#/calendar/grace?show=week',
    shows: '.cluster',
    prepare: button(/Harbour review/, '.panel .panel-line'),
  },
  { name: 'calendar-dense-month', hash: '#/calendar/grace?show=month', shows: '.month .event' },
  { name: 'calendar-dense-agenda', hash: '#/calendar/grace?show=agenda', shows: '.agenda-row' },
  {
    name: 'calendar-menu',
    hash: '#/calendar/grace?show=week',
    shows: '.cluster',
    prepare: button(/^More about/, '.menu-list:not([hidden])'),
  },
];
