// Pictures of every view in both themes, with the sample data, for the documentation.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { componentFile } from '../test/components.ts';
import { startResponsesModel } from '../test/model/responses-model.ts';
import { answer, script } from '../test/model/turn.ts';
import { PageServer, shows } from '../test/page-server.ts';

const folder = 'docs/images';
const server = new PageServer();
const model = await startResponsesModel();
const work = join(server.home, 'project');
mkdirSync(join(server.home, 'codex'));
mkdirSync(work);
mkdirSync(folder, { recursive: true });
writeFileSync(join(server.home, 'codex', 'config.toml'), model.config);
const done = answer({
  summary: 'The tide tables are read from the file now, and a test shows it.',
  deliverables: [{ path: 'tides.txt', description: 'Tide tables of this week' }],
  next_actions: ['Read the change', 'Run the tests'],
});
const turns = script({ shell: 'ls -la' }, { shell: 'echo high > tides.txt; cat tides.txt' }, done);
mkdirSync(join(server.home, 'commands'));
writeFileSync(
  join(server.home, 'commands', 'tides.md'),
  `---\ndescription: Work on the tide tables.\n---\n{{input}} ${turns}\n`,
);
await server.start({
  CODEX_HOME: join(server.home, 'codex'),
  PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
});

try {
  const page = await server.open();
  await page.goto(server.view('#/server'));
  await page.getByRole('button', { name: 'Load sample data' }).click();
  await shows(page, 'The sample data is in: prompts, a calendar and a run.');

  await page.goto(server.view('#/runs/+new'));
  await page.getByLabel('Task').fill(':tides Read the tide tables from a file');
  await page.getByLabel(/^Working folder/).fill(work);
  await page.getByLabel('Sandbox').selectOption('workspace-write');
  await page.getByRole('button', { name: 'Start' }).click();
  await shows(page, 'Run the tests');
  const run = page.url().replace(/.*#/, '#');

  const views = [
    ['prompts', '#/prompts/demo:review'],
    ['runs', run],
    ['calendar', '#/calendar'],
    ['server', '#/server'],
  ] as const;
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [name, hash] of views) {
      await page.goto(server.view(hash));
      await page.locator('h1').first().waitFor();
      if (name === 'prompts') {
        await page.getByLabel(/^diff/).fill('- return tides[0]\n+ return tides.at(-1)');
        await page.getByLabel(/^strictness/).fill('thorough');
        await shows(page, /be thorough about it/);
      }
      await page.locator('.toast.shown').waitFor({ state: 'hidden' });
      // Let what is asked for arrive.
      await page.evaluate('new Promise((done) => setTimeout(done, 700))');
      await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    }
  }
} finally {
  await server.stop();
  await model.close();
}
console.log(`The pictures are in ${folder}.`);
