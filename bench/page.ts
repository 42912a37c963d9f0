// How soon the page is of use: an empty installation against one with much in it, side by side in one browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, openBrowser } from '../test/browser.ts';
import { bundle } from '../test/program.ts';

const prompts = 10_000;
const rounds = 9;

interface Running {
  readonly child: ChildProcess;
  readonly address: string;
}

async function start(home: string): Promise<Running> {
  const child = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0', '--home', home], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let printed = '';
  const address = await new Promise<string>((resolve) => {
    child.stderr!.on('data', (chunk) => {
      printed += chunk;
      const found = /http:\S+#token=\S+/.exec(printed)?.[0];
      if (found) resolve(found);
    });
  });
  return { child, address };
}

function fill(home: string): void {
  mkdirSync(join(home, 'prompts'), { recursive: true });
  const lines = Array.from({ length: prompts }, (_, index) =>
    JSON.stringify({
      name: `prompt_${String(index).padStart(5, '0')}`,
      title: `Prompt ${index}`,
      description: `The description of the prompt with the number ${index}`,
      arguments: [{ name: 'subject', required: true }],
      messages: [{ role: 'user', content: { type: 'text', text: 'About {{subject}}' } }],
      tags: [`tag${index % 20}`],
    }),
  );
  writeFileSync(join(home, 'prompts', 'user.jsonl'), `${lines.join('\n')}\n`);
}

/** From the start of the load to the moment a prompt can be clicked. */
async function firstView(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  const started = performance.now();
  await page.goto(address);
  await page.locator('a.row').first().waitFor();
  const taken = performance.now() - started;
  await context.close();
  return taken;
}

/** The longest a frame took while a word is typed into the search. */
async function typing(browser: Browser, address: string): Promise<{ longest: number; late: number }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText(`${prompts + 7} prompts`).waitFor();
  await page.getByRole('searchbox').click();
  await page.evaluate(`(() => {
    window.tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ entryTypes: ['longtask'] });
  })()`);
  for (const letter of 'number 42') {
    await page.keyboard.press(letter === ' ' ? 'Space' : letter);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
  const tasks = await page.evaluate<number[]>('window.tasks');
  await context.close();
  return { longest: Math.max(0, ...tasks), late: tasks.length };
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const homes = [mkdtempSync(join(tmpdir(), 'adjutant-empty-')), mkdtempSync(join(tmpdir(), 'adjutant-full-'))];
fill(homes[1]!);
const [empty, full] = [await start(homes[0]!), await start(homes[1]!)];
const browser = await openBrowser();
try {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= rounds; round++) {
    const [a, b] = [await firstView(browser, empty.address), await firstView(browser, full.address)];
    // The first round warms both up.
    if (round > 0) {
      times[0].push(a);
      times[1].push(b);
    }
  }
  const ratio = middle(times[1]) / middle(times[0]);
  const { longest, late } = await typing(browser, full.address);
  console.log(
    `first view: empty ${middle(times[0]).toFixed(0)} ms, full ${middle(times[1]).toFixed(0)} ms, ratio ${ratio.toFixed(2)} (at most 1.5)`,
  );
  console.log(`typing: ${late} tasks of more than 50 ms, the longest ${longest.toFixed(0)} ms`);
} finally {
  await browser.close();
  for (const { child } of [empty, full]) child.kill();
  for (const home of homes) rmSync(home, { recursive: true, force: true });
}
