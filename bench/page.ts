// Measures how fast the page loads and responds, with an empty installation and with a large one, in the same browser.
// `--against DIR` also measures the build in another checkout, in turns with this one, and prints the ratio of each figure.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openBrowser } from '../test/page/browser.ts';
import { enterPrivateEnvironment } from '../test/private-environment.ts';
import { bundle } from '../test/program.ts';
import {
  changeView,
  events,
  fill,
  fillCalendar,
  firstView,
  measureTyping,
  prompts,
  type RunningServer,
  runs,
  slowLimitSeconds,
  slowView,
  startServer,
} from './parts/page-measures.ts';

const { values } = parseArgs({ options: { against: { type: 'string' } } });
process.on('exit', enterPrivateEnvironment());

const rounds = 9;
const viewRounds = 7;
const slowRounds = 3;
const budgetMs = 16.7;

/** One build of the program with an empty and a large installation. */
interface Side {
  readonly name: string;
  readonly empty: RunningServer;
  readonly full: RunningServer;
  /** The values of each figure, by its title. */
  readonly figures: Map<string, number[]>;
}

const homes: string[] = [];

async function openSide(name: string, program: string): Promise<Side> {
  const [emptyHome, fullHome] = ['empty', 'full'].map((kind) => {
    const home = mkdtempSync(join(tmpdir(), `adjutant-${kind}-`));
    homes.push(home);
    return home;
  }) as [string, string];
  fill(fullHome);
  const full = await startServer(program, fullHome);
  await fillCalendar(full.address);
  return { name, empty: await startServer(program, emptyHome), full, figures: new Map() };
}

function record({ figures }: Side, title: string, ...found: readonly number[]): void {
  figures.set(title, [...(figures.get(title) ?? []), ...found]);
}

const median = (found: readonly number[]) => found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)]!;
const countLate = (frames: readonly number[]) => frames.filter((frame) => frame > 2 * budgetMs).length;

const sides = [await openSide('this build', bundle)];
if (values.against !== undefined)
  sides.push(await openSide(values.against, resolve(values.against, 'dist/adjutant.cjs')));
const browser = await openBrowser();
try {
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++)
    for (const side of sides) {
      const [empty, full] = [
        await firstView(browser, side.empty.address),
        await firstView(browser, side.full.address),
      ];
      if (round === 0) continue;
      record(side, 'first view, empty installation, ms', empty);
      record(side, `first view, ${prompts} prompts, ms`, full);
    }
  for (let round = 0; round < viewRounds; round++)
    for (const side of sides) {
      const { address } = side.full;
      record(
        side,
        `${runs} runs, first one, ms`,
        await changeView(browser, address, 'runs', ':is(.row, .list-row)'),
      );
      record(
        side,
        `${events} events, first one, ms`,
        await changeView(browser, address, 'calendar', '.placed .event'),
      );
      const { work, typed } = await measureTyping(browser, address);
      record(side, 'work per key in the search, ms', ...work);
      record(side, `frames over ${2 * budgetMs} ms while typing`, countLate(typed));
    }
  for (let round = 0; round < slowRounds; round++)
    for (const side of sides) {
      const [first, all] = await slowView(browser, side.full.address);
      record(side, `50 kB/s, 600 ms: first of ${prompts} prompts, s`, first);
      record(side, `50 kB/s, 600 ms: all of ${prompts} prompts, s`, all);
    }
  const [own, other] = sides as [Side, Side?];
  console.log(`medians; ${sides.map(({ name }) => name).join(' | ')}${other ? ' | ratio' : ''}`);
  for (const [title, found] of own.figures) {
    const cells = sides.map(({ figures }) => median(figures.get(title)!));
    const ratio = other && cells[1]! > 0 ? ` | ${(cells[0]! / cells[1]!).toFixed(2)}` : '';
    console.log(
      `${title}: ${cells.map((cell) => cell.toFixed(1)).join(' | ')}${ratio} (${found.length} values)`,
    );
  }
  const medianOf = (part: string) => median([...own.figures].find(([title]) => title.startsWith(part))![1]);
  const ratio = medianOf(`first view, ${prompts}`) / medianOf('first view, empty');
  console.log(`first view, large to empty installation: ratio ${ratio.toFixed(2)} (limit 1.5)`);
  console.log(
    `slow line: first prompt after ${medianOf('50 kB/s').toFixed(1)} s (limit ${slowLimitSeconds})`,
  );
} finally {
  await browser.close();
  for (const { empty, full } of sides) for (const { child } of [empty, full]) child.kill();
  for (const home of homes) rmSync(home, { recursive: true, force: true, maxRetries: 20 });
}
