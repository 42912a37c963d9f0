import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { componentFile } from '../components.ts';
import { bundle } from '../program.ts';
import { assertNoUnhandledRejection } from '../stdio-peer.ts';
import {
  type Browser,
  type BrowserContext,
  type BrowserName,
  type Locator,
  openBrowser,
  type Page,
} from './browser.ts';

/** Runs the built server over HTTP with its own home folder, and opens its page in a real browser. */
export class PageServer {
  readonly home: string;
  address = '';
  #env: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;
  #stderr = '';
  #browser: Browser | undefined;
  readonly #contexts: BrowserContext[] = [];

  constructor(home = mkdtempSync(join(tmpdir(), 'adjutant-page-'))) {
    this.home = home;
  }

  async start(
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = ['--port', '0'],
    browser?: BrowserName,
  ): Promise<void> {
    this.#env = env;
    await this.startServer(flags);
    this.#browser = await openBrowser(browser);
  }

  async startServer(flags: readonly string[] = ['--port', new URL(this.address).port]): Promise<void> {
    // Codex runs no commands in a sandbox if its home is below the temporary folder.
    const temporary = join(this.home, 'tmp');
    mkdirSync(temporary, { recursive: true });
    const child = spawn(process.execPath, [bundle, 'serve', '--http', '--home', this.home, ...flags], {
      env: { ...process.env, HOME: this.home, TMPDIR: temporary, ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#stderr = '';
    this.address = await new Promise((resolve, reject) => {
      child.once('exit', () => reject(new Error(`The server did not start: ${this.#stderr}`)));
      child.stderr.on('data', (chunk) => {
        this.#stderr += chunk;
        const found = /Page: (http:\S+)/.exec(this.#stderr)?.[1];
        if (found) resolve(`${found}#token=${readFileSync(join(this.home, 'token'), 'utf8').trim()}`);
      });
    });
  }

  async stopServer(): Promise<void> {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'close');
      this.#child.kill();
      await ended;
    }
    assertNoUnhandledRejection(this.#stderr);
  }

  /** Opens a window with its own storage, like another user's browser. */
  async open(
    url = this.address,
    { clock, ...options }: { clock?: string; viewport?: { width: number; height: number } } = {},
  ): Promise<Page> {
    const context = await this.#browser!.newContext({ viewport: { width: 1600, height: 900 }, ...options });
    if (clock !== undefined) await context.clock.setFixedTime(clock);
    this.#contexts.push(context);
    // Shorter than the test timeout, so that the error names the element that did not appear.
    context.setDefaultTimeout(15_000);
    const page = await this.#load(await context.newPage(), url);
    // Most tests are about prompts; Today is the first view.
    if (url === this.address) await page.evaluate("location.hash = '#/prompts'");
    return page;
  }

  /** Opens another tab in the same window. */
  async openTab(sibling: Page, url = this.address): Promise<Page> {
    return this.#load(await sibling.context().newPage(), url);
  }

  async #load(page: Page, url: string): Promise<Page> {
    page.on('pageerror', ({ message }) => {
      throw new Error(`uncaught error on the page: ${message}`);
    });
    await page.goto(url);
    // Wait until the page has stored the token: navigating earlier would lose it.
    await page.waitForFunction("!location.hash.includes('token=')");
    return page;
  }

  /** The address of a view without the token, for windows that are signed in. */
  view(hash: string): string {
    return this.address.replace(/#.*/, hash);
  }

  async closeWindows(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.stopServer();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20 });
  }
}

export const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Accessibility violations of these impacts that axe finds on the page. */
async function violations(
  page: Pick<Page, 'evaluate'> | Pick<Locator, 'evaluate'>,
  impacts: readonly string[],
): Promise<readonly string[]> {
  const evaluate = <Result>(script: string) => page.evaluate<Result>(script);
  await evaluate(readFileSync(componentFile('axe-core/axe.min.js'), 'utf8'));
  const { violations: found } = await evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return found
    .filter(({ impact }) => impacts.includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

export const seriousViolations = (page: Page) => violations(page, ['serious', 'critical']);

/** Also moderate violations. */
export const axeViolations = (page: Page) => violations(page, ['moderate', 'serious', 'critical']);

/** The same for the frame that an element is in. */
export const violationsIn = (element: Locator) => violations(element, ['moderate', 'serious', 'critical']);
