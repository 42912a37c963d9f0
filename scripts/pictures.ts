// Takes pictures of every view at five sizes in both themes, reports what does not fit, is too small to press or is not accessible,
// and compares the pictures with those of an earlier run:
//   npm run pictures -- [--to FOLDER] [--against FOLDER] [--only WORD]
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { putFinishedRun } from '../test/delegate/finished-run.ts';
import type { Page } from '../test/page/browser.ts';
import { callTool } from '../test/page/calendar-client.ts';
import { faultsOf } from '../test/page/layout-faults.ts';
import { axeViolations, PageServer } from '../test/page/page-server.ts';
import { differenceBetween } from '../test/page/picture-difference.ts';
import { emptyViews, type PictureView, views } from '../test/page/picture-views.ts';

const { values: options } = parseArgs({
  options: {
    to: { type: 'string', default: join('recordings', 'pictures') },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const { to, against, only } = options;
if (against !== undefined && (!existsSync(against) || resolve(against) === resolve(to)))
  throw new Error(
    `--against ${against}: give the folder of an earlier run, which is not overwritten (${to})`,
  );
/** A phone, the same on its side or a small window at 200 %, a tablet, a laptop and a large screen. */
const sizes = [
  { width: 390, height: 900 },
  { width: 640, height: 400 },
  { width: 768, height: 900 },
  { width: 1280, height: 900 },
  { width: 1920, height: 900 },
];
type Size = (typeof sizes)[number];
const nameOf = ({ width, height }: Size) => (height === 900 ? String(width) : `${width}x${height}`);
const time = '2026-06-03T09:20:00Z';
// The same folder each time, because its path is visible in some views.
const home = join(tmpdir(), 'adjutant-pictures');
rmSync(home, { recursive: true, force: true });
rmSync(to, { recursive: true, force: true });
for (const folder of [to, join(home, 'prompts')]) mkdirSync(folder, { recursive: true });

const server = new PageServer(home);
const taken: string[] = [];

/** Colours differ by theme, and what is shown by size: one small and one large size are enough for axe. */
const checkedWidths = [390, 1280];

async function picture(page: Page, name: string, { width }: Size): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme });
    for (const violation of checkedWidths.includes(width) ? await axeViolations(page) : []) {
      console.log(`${name}, ${theme}: ${violation}`);
      process.exitCode = 1;
    }
    const file = `${name}-${theme}.png`;
    await page.screenshot({ path: join(to, file), animations: 'disabled' });
    taken.push(file);
  }
}

async function takeAll(list: readonly PictureView[], size: Size): Promise<void> {
  const page = await server.open(undefined, { clock: time, viewport: size });
  for (const { name, hash, shows, prepare } of list.filter((view) => view.name.includes(only))) {
    await page.evaluate(`location.hash = '#/'`);
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await page.reload();
    try {
      await page.locator(`${shows} >> visible=true`).first().waitFor();
      await prepare?.(page);
      // Answers to the last requests, such as previews and suggestions.
      await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => {});
    } catch (error) {
      console.log(`${name} at ${nameOf(size)}: ${(error as Error).message.split('\n')[0]}`);
      process.exitCode = 1;
    }
    for (const direction of ['rtl', 'ltr'])
      for (const fault of await faultsOf(page, direction)) {
        console.log(`${name} at ${nameOf(size)}, ${direction}: ${fault}`);
        process.exitCode = 1;
      }
    await picture(page, `${name}-${nameOf(size)}`, size);
  }
  await server.closeWindows();
}

/** Adds runs to the statistics. */
function countRuns(file: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  const insert = database.prepare(
    `INSERT INTO spending (directory, run_id, tool, agent, model, cwd, started_at, status, duration_ms, input_tokens, output_tokens, cost_usd)
     VALUES (?, ?, 'delegate_run', ?, ?, '/home/ada/harbour', ?, ?, ?, ?, ?, ?)`,
  );
  for (let run = 0; run < 24; run++) {
    const day = String(3 + ((run * 5) % 28)).padStart(2, '0');
    const [agent, model] = run % 3 === 0 ? ['claude', 'opus'] : ['codex', 'gpt-5'];
    const status = run % 5 === 0 ? 'failed' : 'completed';
    const tokens = 2000 + ((run * 997) % 9000);
    const id = `run-${run}`;
    insert.run(
      id,
      id,
      agent,
      model,
      `2026-05-${day}T10:00:00.000Z`,
      status,
      tokens * 9,
      tokens,
      tokens / 10,
      run / 20,
    );
  }
  database.close();
}

try {
  await server.start(
    {
      ADJUTANT_DELIVERY_WITH_SERVER: 'false',
      FIXED_TIME: time,
      NODE_OPTIONS: `--require=${resolve('test/page/fixed-clock.cjs')}`,
    },
    // The address is visible in the form for signing in.
    ['--port', '47391'],
  );
  for (const size of sizes) {
    await takeAll(emptyViews, size);
    const visitor = await server.open(server.view(''), { clock: time, viewport: size });
    await visitor.getByLabel('Token or full address').waitFor();
    if ('sign-in'.includes(only)) await picture(visitor, `sign-in-${nameOf(size)}`, size);
    await server.closeWindows();
  }
  await callTool(server, 'load_demo', {});
  await callTool(server, 'create_routine', {
    ...{ name: 'Morning brief', task: ':demo-research the harbour', cwd: home },
    when: 'every weekday at 07:00',
  });
  const { users } = await callTool<{ users: { id: string }[] }>(server, 'list_users', {});
  await callTool(server, 'test_notification', { user_id: users[0]!.id });
  const text = 'Say hello to {{name}} in {{language}}.\nKeep it short.';
  for (const [tool, greeting] of [
    ['create_prompt', text],
    ['update_prompt', `${text} Add a wish for the day.`],
  ] as const)
    await callTool(server, tool, {
      ...{ name: 'greet', title: 'Greet somebody', tags: ['social'] },
      messages: [{ role: 'user', content: { type: 'text', text: greeting } }],
    });
  const runs = join(home, 'runs');
  // The run that the sample data starts takes place in a process with a clock of its own.
  for (const run of readdirSync(runs)) {
    const request = join(runs, run, 'request.json');
    if (existsSync(request) && !readFileSync(request, 'utf8').includes('Sample'))
      rmSync(join(runs, run), { recursive: true });
  }
  const outbox = join(home, 'outbox');
  for (const file of readdirSync(outbox)) utimesSync(join(outbox, file), new Date(time), new Date(time));
  // Runs are numbered by the minutes since the start of the year.
  const lastRun = 150 * 1440 + 480;
  for (let days = 1; days < 12; days++) putFinishedRun(runs, lastRun - days * 1440 * (1 + (days % 2)));
  writeFileSync(
    join(runs, putFinishedRun(runs, lastRun), 'changes.patch'),
    [
      ...['diff --git a/tides.js b/tides.js', '--- a/tides.js', '+++ b/tides.js', '@@ -1,3 +1,4 @@'],
      ...[
        ' export function next(now) {',
        '-  return [6, 18].find((hour) => hour > now);',
        '+  const tides = read();',
      ],
      ...['+  return tides.find((hour) => hour > now) ?? tides[0];', ' }', ''],
    ].join('\n'),
  );
  countRuns(join(home, 'runs.sqlite'));
  for (const size of sizes) await takeAll(views, size);

  console.log(`${taken.length} pictures are in ${to}.`);
  if (against !== undefined) {
    // The page itself may not load pictures from data URLs.
    const page = await server.open('about:blank');
    const differences = join(to, 'differences');
    mkdirSync(differences);
    let changed = 0;
    for (const file of taken) {
      const before = join(against, file);
      const change = existsSync(before)
        ? await differenceBetween(page, before, join(to, file), join(differences, file))
        : 'new';
      if (change === undefined) continue;
      changed += 1;
      console.log(`${file}: ${change}`);
    }
    console.log(`${changed} of ${taken.length} pictures changed. The differences are in ${differences}.`);
    if (changed > 0) process.exitCode = 1;
  }
} finally {
  await server.stop();
}
