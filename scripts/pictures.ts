// Takes pictures of every view at five sizes in both themes, reports what does not fit, is too small to press or is not accessible,
// and compares the pictures with those of an earlier run:
//   npm run pictures -- [--to FOLDER] [--against FOLDER] [--only WORD] [--browser firefox]
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from '../test/page/browser.ts';
import { addDenseWeek } from '../test/page/dense-week.ts';
import { faultsOf } from '../test/page/layout-faults.ts';
import { axeViolations, PageServer } from '../test/page/page-server.ts';
import { fixedTime, putPictureData, time } from '../test/page/picture-data.ts';
import { differenceBetween } from '../test/page/picture-difference.ts';
import {
  denseViews,
  emptyViews,
  type PictureView,
  setTheme,
  showView,
  views,
} from '../test/page/picture-views.ts';

const { values: options } = parseArgs({
  options: {
    to: { type: 'string', default: join('recordings', 'pictures') },
    against: { type: 'string' },
    only: { type: 'string', default: '' },
    browser: { type: 'string', default: 'chromium' },
  },
});
const { to, against, only, browser } = options;
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
    await setTheme(page, theme);
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
  for (const view of list.filter(({ name }) => name.includes(only))) {
    try {
      await showView(page, view);
    } catch (error) {
      console.log(`${view.name} at ${nameOf(size)}: ${(error as Error).message.split('\n')[0]}`);
      process.exitCode = 1;
    }
    for (const direction of ['rtl', 'ltr'])
      for (const fault of await faultsOf(page, direction)) {
        console.log(`${view.name} at ${nameOf(size)}, ${direction}: ${fault}`);
        process.exitCode = 1;
      }
    await picture(page, `${view.name}-${nameOf(size)}`, size);
  }
  await server.closeWindows();
}

try {
  await server.start(
    fixedTime,
    // The address is visible in the form for signing in.
    ['--port', '47391'],
    browser === 'firefox' ? 'firefox' : 'chromium',
  );
  for (const size of sizes) {
    await takeAll(emptyViews, size);
    const visitor = await server.open(server.view(''), { clock: time, viewport: size });
    await visitor.getByLabel('Token or full address').waitFor();
    if ('sign-in'.includes(only)) await picture(visitor, `sign-in-${nameOf(size)}`, size);
    await server.closeWindows();
  }
  await putPictureData(server);
  for (const size of sizes) await takeAll(views, size);
  // With a second person, the page no longer knows whose day it shows on Today.
  await addDenseWeek(server, time.slice(0, 10));
  for (const size of sizes) await takeAll(denseViews, size);

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
