// Takes screenshots of every view in both themes for the documentation, with the sample data and two more runs.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { componentFile } from '../test/components.ts';
import { startResponsesModel } from '../test/model/responses-model.ts';
import { answer, script, type Turn } from '../test/model/turn.ts';
import type { Page } from '../test/page/browser.ts';
import { PageServer, shows } from '../test/page/page-server.ts';
import { enterPrivateEnvironment } from '../test/private-environment.ts';
import { bundle } from '../test/program.ts';

const folder = 'docs/images';

/** Replaces the temporary home folder, and how the program is started here, in all texts. Runs in the browser. */
const shorten = `function (home, program) {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data
    .replaceAll(home, '~/adjutant')
    .replaceAll(program, 'adjutant');
}`;
process.on('exit', enterPrivateEnvironment());
const server = new PageServer();
const model = await startResponsesModel();
const work = join(server.home, 'harbour');

const before = `export function nextTide(now) {
  const tides = [6, 18];
  return tides.find((hour) => hour > now);
}
`;
const after = `import { readFileSync } from 'node:fs';

export function nextTide(now) {
  const tides = readFileSync('tides.txt', 'utf8').split('\\n').map(Number);
  return tides.find((hour) => hour > now) ?? tides[0];
}
`;

const change: readonly Turn[] = [
  { shell: 'cat tides.js' },
  { shell: `printf '6\\n18\\n' > tides.txt && cat > tides.js <<'END'\n${after}END` },
  { shell: 'node --check tides.js' },
  answer({
    summary:
      'The tides are now read from a file. After the last tide of a day, the function returns the first tide of the next day.',
    deliverables: [
      { path: 'tides.js', description: 'Reads the file' },
      { path: 'tides.txt', description: 'The tides of a day' },
    ],
    next_actions: ['Review the change'],
  }),
];

const job = (id: string, title: string, depends_on: readonly string[], ...turns: readonly Turn[]) => ({
  id,
  title,
  thinking_level: 'medium',
  task: `${title}. ${script(...turns)}`,
  sandbox: 'read-only',
  depends_on,
  skills: [],
  acceptance: [],
});
const plan = {
  should_delegate: true,
  reason: 'Two of the jobs are independent.',
  jobs: [
    job('look', 'Look at the harbour', [], answer({ summary: 'Two piers, one lock, no crane.' })),
    job(
      'tests',
      'List untested code',
      ['look'],
      { shell: 'sleep 1' },
      answer({ summary: 'The lock is untested.' }),
    ),
    job(
      'docs',
      'Compare the docs',
      ['look'],
      { shell: 'sleep 2' },
      answer({ summary: 'The docs mention a crane.' }),
    ),
  ],
};

mkdirSync(folder, { recursive: true });
for (const name of ['codex', 'commands', 'harbour']) mkdirSync(join(server.home, name));
writeFileSync(join(server.home, 'codex', 'config.toml'), model.config);
writeFileSync(join(work, 'tides.js'), before);
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: work });
git('init', '-q');
git('add', '-A');
git('commit', '-qm', 'Tides');
// The model's turns are hidden in a prompt, so that the screenshots show tasks as a user would write them.
for (const [name, turns] of [
  ['tides', change],
  ['survey', [{ say: JSON.stringify(plan) }]],
] as const)
  writeFileSync(
    join(server.home, 'commands', `${name}.md`),
    `---\ndescription: Work on the ${name}.\n---\n{{input}} ${script(...turns)}\n`,
  );
await server.start({
  CODEX_HOME: join(server.home, 'codex'),
  PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
});

async function completeRun(page: Page, task: string, type: string): Promise<string> {
  await page.goto(server.view('#/runs/+new'));
  await page.getByLabel('Task').fill(task);
  await page.getByLabel(/^Working folder/).fill(work);
  await page.getByLabel('Sandbox').selectOption('workspace-write');
  await page.getByLabel('Type').selectOption(type);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('article .facts .badge.completed').waitFor({ timeout: 90_000 });
  return page.url().replace(/.*#/, '#');
}

try {
  const page = await server.open();
  // The link to the first steps has disappeared by the time the page looks like this.
  await page.evaluate(`localStorage.setItem('adjutant-start', '["hidden"]')`);
  await page.goto(server.view('#/server'));
  await page.reload();
  await page.getByRole('button', { name: 'Load sample data' }).click();
  await shows(page, 'Sample data loaded: prompts, a calendar and two runs.');
  const survey = ':survey Look at the harbour, its tests and its docs, and refactor what is inconsistent';
  const jobs = await completeRun(page, survey, 'delegate_autopilot');
  const changed = await completeRun(page, ':tides Read the tides from a file', 'delegate_run');

  const views = [
    ['prompts', '#/prompts/demo:review'],
    ['runs', changed],
    ['jobs', jobs],
    ['calendar', '#/calendar'],
    ['server', '#/server'],
  ] as const;
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, hash] of views) {
      await page.goto(server.view(hash));
      await page.locator('main :is(h1, .list-row):visible').first().waitFor();
      if (name === 'prompts') {
        await page.getByLabel(/^diff/).fill('- return tides[0]\n+ return tides.at(-1)');
        await page.getByLabel(/^strictness/).fill('thorough');
        await shows(page, /Be thorough/);
      }
      if (name === 'calendar') await page.getByRole('button', { name: /^Design review/ }).click();
      if (name === 'server') await shows(page, /problems? found/);
      await page.locator('.toast.shown').waitFor({ state: 'hidden' });
      // Wait for pending requests.
      await page.evaluate('new Promise((done) => setTimeout(done, 700))');
      const program = `${process.execPath} ${bundle}`;
      await page.evaluate(`(${shorten})(${JSON.stringify(server.home)}, ${JSON.stringify(program)})`);
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    }
  }
} finally {
  await server.stop();
  await model.close();
}
console.log(`The screenshots are in ${folder}.`);
