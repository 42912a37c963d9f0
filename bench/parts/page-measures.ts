// Measurements of the page in a browser.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFinishedRun } from '../../test/delegate/finished-run.ts';
import type { Browser, Page } from '../../test/page/browser.ts';

export const prompts = 10_000;
export const runs = 1_000;
export const events = 10_000;

export interface RunningServer {
  readonly child: ChildProcess;
  readonly address: string;
}

export async function startServer(program: string, home: string): Promise<RunningServer> {
  const child = spawn(process.execPath, [program, 'serve', '--http', '--port', '0', '--home', home], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  const address = await new Promise<string>((resolve) => {
    child.stderr!.on('data', function read(chunk) {
      stderr += chunk;
      const found = /Page: (http:\S+)/.exec(stderr)?.[1];
      if (found === undefined) return;
      child.stderr!.off('data', read).resume();
      resolve(`${found}#token=${readFileSync(join(home, 'token'), 'utf8').trim()}`);
    });
  });
  return { child, address };
}

export function fill(home: string): void {
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
  for (let index = 0; index < runs; index++) putFinishedRun(join(home, 'runs'), index);
}

/** Imports a calendar with many events through the server. */
export async function fillCalendar(address: string): Promise<void> {
  const stamp = (index: number) =>
    new Date(Date.now() + index * 600_000).toISOString().replace(/[-:]|\.\d+/g, '');
  const lines = Array.from(
    { length: events },
    (_, index) =>
      `BEGIN:VEVENT\r\nUID:bench-${index}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:${stamp(index)}\r\nDURATION:PT30M\r\nSUMMARY:Event ${index}\r\nEND:VEVENT`,
  );
  const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//bench//EN\r\n${lines.join('\r\n')}\r\nEND:VCALENDAR\r\n`;
  for (const [name, args] of [
    ['create_user', { id: 'ada', name: 'Ada' }],
    ['import_calendar', { user_id: 'ada', content }],
  ] as const) {
    const response = await fetch(address.replace(/#.*/, 'mcp'), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${/token=(.*)/.exec(address)![1]}`,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    if ((await response.text()).includes('"isError":true')) throw new Error(`${name} failed`);
  }
}

/** A row of a list, also in earlier versions of the page. */
const rows = ':is(.row, .list-row)';

/** Opens the list of prompts, which is the first view only in earlier versions. */
async function openPrompts(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.waitForFunction("!location.hash.includes('token=')");
  await page.evaluate("location.hash = '#/prompts'");
}

/** Milliseconds from the start of loading until the first prompt is visible. */
export async function firstView(browser: Browser, address: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  const started = performance.now();
  await openPrompts(page, address);
  await page.locator(rows).first().waitFor();
  const elapsed = performance.now() - started;
  await context.close();
  return elapsed;
}

/** A slow mobile line. */
const slowLine = { offline: false, latency: 600, downloadThroughput: 50_000, uploadThroughput: 50_000 };
export const slowLimitSeconds = 6;

/** Seconds on a slow line, with an empty cache, until the first prompt and until the whole list is there. */
export async function slowView(
  browser: Browser,
  address: string,
): Promise<readonly [first: number, all: number]> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  context.setDefaultTimeout(120_000);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', slowLine);
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1000;
  await openPrompts(page, address);
  await page.locator(rows).first().waitFor();
  const first = seconds();
  await page.getByText(/^10\d{3} prompts$/).waitFor();
  const all = seconds();
  await context.close();
  return [first, all];
}

export interface Typing {
  /** Milliseconds of work per key press. */
  readonly work: readonly number[];
  /** Milliseconds between frames, while idle and while typing. */
  readonly idle: readonly number[];
  readonly typed: readonly number[];
}

/** Types into the search field and measures inside the browser. */
export async function measureTyping(browser: Browser, address: string): Promise<Typing> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await openPrompts(page, address);
  await page.getByText(/^10\d{3} prompts$/).waitFor();
  await page.getByRole('searchbox').click();
  await page.evaluate(`(() => {
    window.work = [];
    window.frames = [];
    const { port1, port2 } = new MessageChannel();
    let pressed = 0;
    addEventListener('keydown', () => { pressed = performance.now(); }, { capture: true });
    // The message arrives after the input event and its microtasks have been processed.
    addEventListener('input', () => port2.postMessage(0), { capture: true });
    port1.onmessage = () => work.push(performance.now() - pressed);
    let last = performance.now();
    const frame = () => {
      const now = performance.now();
      frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })()`);
  const frames = () => page.evaluate<number[]>('window.frames.splice(0)');
  await page.evaluate('new Promise((done) => setTimeout(done, 1500))');
  const idle = (await frames()).slice(1);
  for (const word of ['number 42', 'prompt', '#tag7', 'zzz']) {
    for (const letter of word) await page.keyboard.press(letter === ' ' ? 'Space' : letter);
    for (const _ of word) await page.keyboard.press('Backspace');
  }
  const typed = await frames();
  const work = await page.evaluate<number[]>('window.work');
  await context.close();
  return { work, idle, typed };
}

/** Milliseconds from the choice of a view until its first entry is visible. */
export async function changeView(
  browser: Browser,
  address: string,
  view: string,
  entry: string,
): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  const page = await context.newPage();
  await openPrompts(page, address);
  await page.locator(rows).first().waitFor();
  const started = performance.now();
  await page.goto(address.replace(/#.*/, `#/${view}`));
  await page.locator(entry).first().waitFor();
  const elapsed = performance.now() - started;
  await context.close();
  return elapsed;
}
