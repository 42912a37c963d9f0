import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { componentFile } from '../components.ts';
import { autopilotTask, job } from '../delegate/autopilot-task.ts';
import { putFinishedRun } from '../delegate/finished-run.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script, type Turn } from '../model/turn.ts';
import { axeViolations, PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const work = join(server.home, 'work');
let model: Model;
let env: Record<string, string>;

beforeAll(async () => {
  model = await startResponsesModel();
  const codexHome = join(server.home, 'codex');
  mkdirSync(codexHome);
  mkdirSync(work);
  const temporary = join(server.home, 'tmp');
  mkdirSync(temporary);
  execFileSync('git', ['init', '-q'], { cwd: work });
  writeFileSync(join(work, 'tides.txt'), 'low');
  writeFileSync(join(codexHome, 'config.toml'), model.config);
  env = {
    HOME: server.home,
    CODEX_HOME: codexHome,
    // Codex needs helper programs to use the bwrap of the machine, and creates none below the temporary folder.
    TMPDIR: temporary,
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
    ADJUTANT_DELEGATE_APPROVALS: 'ask',
  };
  await server.start(env);
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await model.close();
});

/** Runs a command of the program with the settings of the server. Resolves with its JSON output. */
async function runProgram(args: readonly string[]): Promise<Record<string, unknown>> {
  const child = promisify(execFile)(process.execPath, [bundle, ...args, '--json'], { cwd: work, env });
  return JSON.parse((await child.catch((error: { stdout: string }) => error)).stdout);
}

async function startRun(
  task: string,
  fields: Readonly<Partial<Record<'sandbox' | 'type' | 'folder' | 'changes', string>>> = {},
) {
  const page = await server.open();
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('link', { name: 'New run' }).click();
  await page.getByLabel('Task').fill(task);
  await page.getByLabel(/^Working folder/).fill(fields.folder ?? work);
  await page.getByLabel('Sandbox').selectOption(fields.sandbox ?? 'read-only');
  await page.getByLabel('Type').selectOption(fields.type ?? 'delegate_run');
  if (fields.changes) await page.getByLabel('Changes').selectOption(fields.changes);
  await page.getByRole('button', { name: 'Start' }).click();
  return page;
}

/** A turn in which Codex edits files with its own tool, and so reports the changes. */
function patch(changes: string): Turn {
  return { shell: `apply_patch <<'END'\n*** Begin Patch\n${changes}\n*** End Patch\nEND` };
}

/** Sets `data-tail-failed` on the document when a tail_run request fails. */
const markFailedTail = `{
  const { fetch } = window;
  window.fetch = (url, options) => fetch(url, options).catch((error) => {
    if (options.body.includes('tail_run')) document.documentElement.dataset.tailFailed = '';
    throw error;
  });
}`;

describe('runs', () => {
  it('that cannot start show the reason', async () => {
    const page = await startRun('Look', { folder: '/no/such/folder' });
    await page.locator('article [data-status=failed]').waitFor();
    await page
      .locator('article .problem')
      .getByText(/no\/such\/folder/)
      .waitFor();
  });

  it('that name an unknown prompt do not start, and the form suggests another name', async () => {
    const page = await startRun(':code_reviw foo()');
    await shows(page, /Prompt not found: code_reviw; did you mean code_review\?/);
    expect(await page.getByLabel('Task').inputValue()).toBe(':code_reviw foo()');
  });

  it('show their progress and then their result', async () => {
    const done = answer({ summary: 'The harbour is open.', next_actions: ['Set sail'] });
    const page = await startRun(
      `Look at the harbour ${script({ shell: 'echo the tide is high; sleep 1' }, done)}`,
    );
    await shows(page, /the tide is high/);
    await shows(page, 'The harbour is open.');
    await shows(page, 'Set sail');
    // Two turns with 100 input and 20 output tokens each, shown in the list and in the details.
    await page.locator('.list-row .number').getByText('240 tok').first().waitFor();
    await page.locator('.facts').getByText('240 tok').waitFor();
    await page.getByRole('button', { name: 'result.json' }).click();
    await shows(page, /"status": "completed"/);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('show their changes file by file', async () => {
    const page = await startRun(
      `Write the tides ${script(patch('*** Update File: tides.txt\n@@\n-low\n+high'), { shell: 'printf "\\0\\1" > moon.bin' }, answer())}`,
      { sandbox: 'workspace-write' },
    );
    // Who reads the steps of a run goes on reading them when it ends.
    await page.getByRole('tab', { name: 'Changes' }).click();
    expect(page.url()).toContain('/changes');
    const files = page.locator('.patch details');
    const tides = files.filter({ hasText: /tides\.txt/ });
    await tides.locator('tr.added .line-mark').getByText('+').waitFor();
    expect(await tides.locator('tr.added .line-text').textContent()).toBe('high');
    expect(await tides.locator('summary').textContent()).toContain('+1 −1');
    // Commands of the agent change files too, which it does not report.
    const moon = files.filter({ hasText: /moon\.bin/ });
    await moon.getByText('Binary content is not shown.').waitFor();
    expect(await files.count()).toBe(2);
    const unreported = page.locator('.evidence li').filter({ hasText: /not reported by the agent/ });
    await unreported.getByText('moon.bin').waitFor();
    await unreported.getByText('tides.txt').waitFor();
    expect(readFileSync(join(work, 'tides.txt'), 'utf8')).toMatch(/^high\n?$/);
    expect([...readFileSync(join(work, 'moon.bin'))]).toEqual([0, 1]);
    expect(await seriousViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('show a large change in steps, with its files collapsed', async () => {
    const fileDiff = (name: string, lines: readonly number[]) =>
      `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}`;
    const files = Array.from({ length: 119 }, (_, index) => fileDiff(`file-${index}.txt`, [index]));
    const numbers = fileDiff('numbers.txt', [...Array(2000).keys()]);
    const runs = join(server.home, 'runs');
    const id = putFinishedRun(runs, 5000);
    writeFileSync(join(runs, id, 'changes.patch'), [numbers, ...files].join(''));
    const page = await server.open();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText('Task 5000').click();
    await shows(page, 'Show 20 of 20 more files');
    await page.getByRole('button', { name: 'Show 20 of 20 more files' }).click();
    await page.locator('.patch details').getByText('numbers.txt').click();
    await page.getByRole('button', { name: /^Show 500 of \d+ more lines$/ }).click();
    expect(await page.locator('.patch-lines tr').count()).toBeLessThan(1500);
  });

  it('of the autopilot show their jobs as a graph and on a time axis', async () => {
    const job = (id: string, depends_on: readonly string[], ...turns: readonly Turn[]) => ({
      id,
      title: `Job ${id}`,
      thinking_level: 'medium',
      task: `Do ${id}. ${script(...turns)}`,
      sandbox: 'read-only',
      depends_on,
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
    const page = await startRun(
      `Refactor the parser, update the tests and rewrite the docs. ${script({ say: JSON.stringify(plan) })}`,
      { type: 'delegate_autopilot' },
    );
    await page.locator('article [data-status=completed_with_problems]').waitFor();
    await page.getByRole('button', { name: /Job sum.*completed/ }).click();
    await page.getByRole('region', { name: 'Job Job sum' }).getByText('It all adds up.').waitFor();
    await page.getByRole('region', { name: 'Job Job sum' }).getByText('file not found').waitFor();
    expect(await page.locator('.job-graph svg path[marker-end]').count()).toBe(1);
    expect(await page.locator('.job-time').count()).toBe(2);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('are included in the sample data with a graph, evidence and changes', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Load sample data' }).click();
    await shows(page, /^Sample data loaded/);
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(/^Sample: look at the harbour/).click();
    await page.getByRole('button', { name: /^Compare the docs.*completed/ }).waitFor();
    await page.getByText('Is the crane planned?').first().waitFor();
    await page.getByRole('button', { name: /^Read the tides.*completed/ }).click();
    await page.locator('.evidence').getByText('change verified').first().waitFor();
    await page.locator('.card .patch summary').getByText('tides.txt').waitFor();
    await page.locator('.timeline .command.failed').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Remove sample data' }).click();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByText(/^Sample: look at the harbour/).waitFor({ state: 'detached' });
  });

  it('of a comparison show the candidates side by side, and apply the changes of the one that is chosen', {
    timeout: 120_000,
  }, async () => {
    // All candidates get the same task. The one that takes the lock first solves it; the others do not.
    const lock = join(mkdtempSync(join(server.home, 'tmp', 'duel-')), 'lock');
    rmSync(join(work, 'duel.txt'), { force: true });
    const command = `if mkdir ${lock}; then echo right > duel.txt; else echo wrong > duel.txt; fi`;
    const task = `Write duel.txt ${script({ shell: command }, answer({ summary: 'Wrote it.' }))}`;
    const models = ['one', 'two'].flatMap((name) => ['--candidate', `codex:${name}`]);
    const more = ['--check', 'grep -q right duel.txt', '--home', server.home];
    const { status } = await runProgram(['runs', 'compare', task, ...models, ...more]);
    expect(status).toBe('completed');
    const page = await server.open();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page
      .getByText(/^Write duel\.txt/)
      .first()
      .click();
    const table = page.getByRole('region', { name: 'Comparison' });
    await table.getByRole('columnheader', { name: /^1\. codex (one|two) ?suggested$/ }).waitFor();
    await table.getByRole('columnheader', { name: /^2\. codex (one|two)$/ }).waitFor();
    await page.getByText(/^codex-(one|two) is completed; codex-(one|two) is failed\.$/).waitFor();
    const checks = table.getByRole('row', { name: /^Checks/ });
    await checks.getByText('1 of 1 passed').waitFor();
    await checks.getByText('0 of 1 passed').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeViolations(page), colorScheme).toEqual([]);
    }
    const duel = () => readFileSync(join(work, 'duel.txt'), 'utf8');
    const apply = table.getByRole('button', { name: /^Apply/ });
    await apply.first().click();
    const takeBack = table.getByRole('button', { name: /^Take back/ });
    await takeBack.waitFor();
    expect(duel()).toBe('right\n');
    await table
      .locator('button:disabled')
      .getByText(/^Apply/)
      .waitFor();
    await table.getByText(/Take back codex-(one|two) first\./).waitFor();
    await takeBack.click();
    await table.getByText('Taken back.').waitFor();
    expect(existsSync(join(work, 'duel.txt'))).toBe(false);
    // Someone else creates the file meanwhile: it gets both versions, and nothing is lost.
    writeFileSync(join(work, 'duel.txt'), 'mine\n');
    await apply.nth(1).click();
    await shows(page, 'Applied 1 file. duel.txt has both versions now, between conflict markers.');
    expect(duel()).toMatch(/^<{7} .*\nmine\n={7}\nwrong\n>{7} .*\n$/);
    await takeBack.click();
    await table.getByText('Taken back.').nth(1).waitFor();
    expect(duel()).toBe('mine\n');
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('can be cancelled on the page', async () => {
    const page = await startRun(`Wait forever ${script({ hang: true })}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('article [data-status=cancelled]').waitFor();
    await page
      .getByText(/cancelled/)
      .nth(1)
      .waitFor();
    expect(await page.locator('article .problem').count()).toBe(0);
    await page.evaluate("location.hash = '#/runs'");
    await page.locator('h1').getByText('Runs').waitFor();
  });

  it('show when a command ran and what it printed', async () => {
    const page = await startRun(`Look ${script({ shell: 'echo the tide is low' }, answer())}`);
    await page.locator('.timeline summary').first().click();
    await page.locator('.timeline pre').getByText('the tide is low').waitFor();
    expect(await page.locator('.timeline time').first().textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('show what an edit changed, line by line', async () => {
    writeFileSync(join(work, 'ebb.txt'), 'low\n');
    const change = patch('*** Update File: ebb.txt\n@@\n-low\n+high');
    const page = await startRun(`Edit ${script(change, answer())}`, { sandbox: 'workspace-write' });
    await page.locator('article [data-status=completed]').waitFor();
    await page.getByRole('tab', { name: 'Steps' }).click();
    const difference = page.locator('.timeline details[open] .diff');
    await difference.locator('.added').getByText('high').waitFor();
    await difference.locator('.removed').getByText('low').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('take a message while they work', async () => {
    const page = await startRun(`Sleep ${script({ shell: 'sleep 8', timeoutMs: 20_000 }, answer())}`);
    await page
      .locator('.timeline')
      .getByText(/sleep 8/)
      .waitFor();
    await page.getByLabel('Message to the agent').fill('Also look left.');
    await page.reload();
    expect(await page.getByLabel('Message to the agent').inputValue()).toBe('Also look left.');
    await page.getByRole('button', { name: 'Send' }).click();
    await shows(page, 'The agent has the message.');
    await page.locator('article [data-status=completed]').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body['input'])).toContain('Also look left.');
  });

  const asking = (file: string): Turn => ({
    tool: 'exec_command',
    arguments: {
      cmd: `touch ${file}`,
      sandbox_permissions: 'require_escalated',
      justification: 'The file is outside.',
    },
  });

  it('show what the jobs of an autopilot ask, and pass the answer on to the job', async () => {
    const file = join(server.home, 'asked-by-job');
    const writer = job('writer', { sandbox: 'workspace-write' }, asking(file), answer());
    const page = await startRun(autopilotTask(writer), {
      sandbox: 'workspace-write',
      type: 'delegate_autopilot',
    });
    await page.locator('.approval').getByText('Job Job writer').waitFor();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await page.locator('article [data-status=completed]').first().waitFor();
    expect(existsSync(file)).toBe(true);
  });

  it('ask for permission, and go on with the answer', async () => {
    const file = join(server.home, 'asked');
    const page = await startRun(`Ask ${script(asking(file), answer())}`, { sandbox: 'workspace-write' });
    const card = page.getByRole('article', { name: 'Allow this command?' });
    await card.getByText('The file is outside.').waitFor();
    await card.getByText(/min left$/).waitFor();
    // On a small screen, the steps below do not scroll the question away.
    await page.setViewportSize({ width: 640, height: 400 });
    await page.reload();
    await page.locator('.timeline').waitFor();
    const top = `document.querySelector('.approval').getBoundingClientRect().top`;
    await expect.poll(() => page.evaluate<boolean>(`${top} >= 0 && ${top} < innerHeight`)).toBe(true);
    await page.setViewportSize({ width: 1600, height: 900 });
    expect(await seriousViolations(page)).toEqual([]);
    // Keys answer here as on Today.
    await card.locator('kbd').getByText('R').waitFor();
    await page.keyboard.press('r');
    await page.getByLabel('Reason for the agent (optional)').fill('Not now.');
    await page.getByRole('button', { name: 'Refuse', exact: true }).click();
    await page.locator('article [data-status=completed]').waitFor();
    expect(existsSync(file)).toBe(false);
    expect(JSON.stringify(model.requests.at(-1)?.body['input'])).toContain('Not now.');
  });

  it('wait to be applied if the form says so, and are marked as viewed, applied and taken back', {
    timeout: 90_000,
  }, async () => {
    const task = `Write ${script(patch('*** Add File: src/a.js\n+const a = 1;\n*** Add File: b.txt\n+b'), answer())}`;
    const page = await startRun(task, { sandbox: 'workspace-write', changes: 'ask' });
    await page.getByRole('tab', { name: 'Changes' }).click();
    const tree = page.getByRole('navigation', { name: 'Files' });
    await tree.getByText('src', { exact: true }).waitFor();
    await page.locator('.c-word').getByText('const').waitFor();
    expect(existsSync(join(work, 'src/a.js'))).toBe(false);
    await page.getByRole('checkbox', { name: 'Viewed src/a.js' }).check();
    await tree.getByText('1 of 2 viewed').waitFor();
    await page.reload();
    await tree.getByText('1 of 2 viewed').waitFor();
    expect(await page.locator('.patch-file[data-file="src/a.js"] details[open]').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'More about b.txt' }).click();
    await page.getByRole('button', { name: 'Apply this file' }).click();
    await shows(page, 'b.txt was applied.');
    expect([existsSync(join(work, 'b.txt')), existsSync(join(work, 'src/a.js'))]).toEqual([true, false]);
    await page.getByRole('button', { name: 'Apply 2 files' }).click();
    await shows(page, '1 file was applied.');
    expect(existsSync(join(work, 'src/a.js'))).toBe(true);
    // Undo goes back step by step.
    await page.keyboard.press('z');
    await expect.poll(() => existsSync(join(work, 'src/a.js'))).toBe(false);
    expect(existsSync(join(work, 'b.txt'))).toBe(true);
    await page.getByRole('button', { name: 'More about src/a.js' }).click();
    await page.getByRole('button', { name: 'Apply this file again' }).click();
    await shows(page, 'src/a.js was applied.');
    expect(existsSync(join(work, 'src/a.js'))).toBe(true);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('compare agents from the form, which lists those that are there', { timeout: 120_000 }, async () => {
    const page = await server.open();
    await page.goto(server.view('#/runs/+new'));
    await page.getByLabel('Task').fill(`Look ${script(answer({ summary: 'Looked.' }))}`);
    await page.getByLabel(/^Working folder/).fill(work);
    await page.getByLabel('Type').selectOption('delegate_compare');
    // The programs are asked for their versions.
    const codex = page.getByLabel('Agent 1').locator('option[value=codex]');
    await codex.waitFor({ state: 'attached', timeout: 60_000 });
    await page.getByLabel('Agent 1').selectOption('codex');
    await page.getByLabel('Model 1').fill('one');
    await page.getByLabel('Agent 2').selectOption('codex');
    await page.getByLabel('Model 2').fill('two');
    expect(await seriousViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start comparison' }).click();
    const table = page.getByRole('region', { name: 'Comparison' });
    await table.getByRole('columnheader', { name: /codex two/ }).waitFor();
    await table.getByText('Looked.').first().waitFor();
  });

  it('get the comments on their changes as the next task', { timeout: 90_000 }, async () => {
    const page = await startRun(`Write ${script(patch('*** Add File: comment.txt\n+high'), answer())}`, {
      sandbox: 'workspace-write',
    });
    await page.getByRole('tab', { name: 'Changes' }).click();
    const file = page.locator('.patch-file');
    await file.locator('.line-text').hover();
    await file.getByRole('button', { name: 'Comment on line 1' }).click();
    await page.getByLabel('Comment on line 1 of comment.txt').fill('Write it in capitals.');
    await page.getByRole('navigation', { name: 'Files' }).getByText('1 comment').waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.reload();
    expect(await page.getByLabel('Comment on line 1 of comment.txt').inputValue()).toBe(
      'Write it in capitals.',
    );
    expect(readFileSync(join(work, 'comment.txt'), 'utf8')).toBe('high\n');
    await page.getByRole('button', { name: 'More about comment.txt' }).click();
    await page.getByRole('button', { name: 'Revert this file' }).click();
    await shows(page, 'comment.txt was reverted.');
    expect(existsSync(join(work, 'comment.txt'))).toBe(false);
    await page.getByRole('button', { name: 'Send 1 comment as the next task' }).click();
    await page
      .locator('h1')
      .getByText(/^Revise your changes/)
      .waitFor();
    await page.locator('article [data-status=completed]').waitFor();
    expect(JSON.stringify(model.requests.at(-1)?.body['input'])).toContain(
      'comment.txt:1: Write it in capitals.',
    );
  });

  it('are counted by day, agent and folder', async () => {
    const page = await server.open();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('link', { name: 'Statistics' }).click();
    await page.getByRole('heading', { name: 'By agent' }).waitFor();
    await page.getByRole('row', { name: /codex/ }).first().waitFor();
    await page.getByLabel('Show').selectOption('tokens');
    await page
      .getByRole('row', { name: /codex [\d,.]*\d{3}/ })
      .first()
      .waitFor();
    expect(await seriousViolations(page)).toEqual([]);
  });

  it('can be resumed as a new run', async () => {
    const page = await startRun(`Start ${script(answer({ summary: 'First part done.' }))}`);
    await shows(page, 'First part done.');
    const before = page.url();
    await page.getByLabel('Next task').fill(`More ${script(answer({ summary: 'Second part done.' }))}`);
    await page.getByRole('button', { name: 'Resume run' }).click();
    await shows(page, 'Second part done.');
    expect(page.url()).not.toBe(before);
  });

  it('keep their timeline after a server restart', async () => {
    const page = await startRun(`Wait for the server ${script({ hang: true })}`);
    await page.locator('ol.timeline').waitFor();
    await page.evaluate(markFailedTail);
    await server.stopServer();
    await page.locator('html[data-tail-failed]').waitFor();
    await server.startServer();
    await page.locator('.live.on').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.locator('article [data-status=cancelled]').waitFor();
    await page.locator('ol.timeline').waitFor();
  });

  it('continue after their tab is closed', async () => {
    const page = await startRun(
      `Take your time ${script({ shell: 'sleep 2' }, answer({ summary: 'Took it.' }))}`,
    );
    await page.locator('article [data-status=running]').waitFor();
    const run = page.url().replace(/.*#/, '#');
    await server.closeWindows();
    const other = await server.open();
    await other.goto(server.view(run));
    await shows(other, 'Took it.');
  });

  it('are all listed even if they fill more than one page', async () => {
    for (let index = 0; index < 130; index++) putFinishedRun(join(server.home, 'runs'), index);
    const page = await server.open();
    await page.getByRole('link', { name: 'Runs' }).click();
    await page.getByLabel('Search runs').fill('Task');
    await shows(page, /^1[3-9]\d runs$/);
    await page.getByLabel('Search runs').fill('Task 29');
    await shows(page, /^Task 29$/);
  });
});
