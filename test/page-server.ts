import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, openBrowser, type Page } from './browser.ts';
import { componentFile } from './components.ts';
import { bundle } from './program.ts';

/** The built program on HTTP with a home of its own, and windows of a real browser on its page. */
export class PageServer {
  readonly home = mkdtempSync(join(tmpdir(), 'adjutant-page-'));
  address = '';
  #env: Readonly<Record<string, string>> = {};
  #child: ChildProcess | undefined;
  #browser: Browser | undefined;
  readonly #contexts: BrowserContext[] = [];

  async start(
    env: Readonly<Record<string, string>> = {},
    flags: readonly string[] = ['--port', '0'],
  ): Promise<void> {
    this.#env = env;
    await this.startServer(flags);
    this.#browser = await openBrowser();
  }

  async startServer(flags: readonly string[] = ['--port', new URL(this.address).port]): Promise<void> {
    const child = spawn(process.execPath, [bundle, 'serve', '--http', '--home', this.home, ...flags], {
      env: { ...process.env, HOME: this.home, ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let printed = '';
    this.address = await new Promise((resolve) => {
      child.stderr.on('data', (chunk) => {
        printed += chunk;
        const found = /http:\S+#token=\S+/.exec(printed)?.[0];
        if (found) resolve(found);
      });
    });
  }

  async stopServer(): Promise<void> {
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill();
      await ended;
    }
  }

  /** A window of its own, as another person would have it. */
  async open(url = this.address): Promise<Page> {
    const context = await this.#browser!.newContext({ viewport: { width: 1200, height: 800 } });
    this.#contexts.push(context);
    // So that what is waited for in vain is named, not only that time is up.
    context.setDefaultTimeout(15_000);
    return this.#arrive(await context.newPage(), url);
  }

  /** One more tab in the window of another. */
  async openTab(beside: Page): Promise<Page> {
    return this.#arrive(await beside.context().newPage(), this.address);
  }

  async #arrive(page: Page, url: string): Promise<Page> {
    page.on('pageerror', ({ message }) => {
      throw new Error(`the page failed: ${message}`);
    });
    await page.goto(url);
    // Whoever goes elsewhere before the page has taken its token takes the token away.
    await page.waitForFunction("!location.hash.includes('token=')");
    return page;
  }

  /** The address of a view, for a window that has the token already. */
  view(hash: string): string {
    return this.address.replace(/#.*/, hash);
  }

  async closeWindows(): Promise<void> {
    for (const context of this.#contexts.splice(0)) await context.close();
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.stopServer();
    rmSync(this.home, { recursive: true, force: true });
  }
}

export const shows = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** What axe finds that keeps somebody from using the page. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(readFileSync(componentFile('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run()');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
