import type { Page } from './browser.ts';

/** A view of the page to take a picture of. */
export interface PictureView {
  readonly name: string;
  readonly hash: string;
  /** Visible when the view has loaded. */
  readonly shows: string;
  prepare?(page: Page): Promise<void>;
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
  hash: '#/calendar',
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
    hash: '#/calendar',
    shows: '.calendar-body',
    prepare: layout('Week', '.week .event'),
  },
  {
    name: 'calendar-month',
    hash: '#/calendar',
    shows: '.calendar-body',
    prepare: layout('Month', '.month .event'),
  },
  {
    name: 'calendar-agenda',
    hash: '#/calendar',
    shows: '.calendar-body',
    prepare: layout('Agenda', '.agenda-row'),
  },
  { name: 'calendar-event', ...panel(/Design review/, '.notifications li') },
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
