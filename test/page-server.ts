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
  #child: ChildProcess | undefined;
  #browser: Browser | undefined;
  readonly #contexts: BrowserContext[] = [];

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const child = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0', '--home', this.home], {
      env: { ...process.env, ...env },
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
    this.#browser = await openBrowser();
  }

  /** A window of its own, as another person would have it. */
  async open(url = this.address): Promise<Page> {
    const context = await this.#browser!.newContext({ viewport: { width: 1200, height: 800 } });
    this.#contexts.push(context);
    // So that what is waited for in vain is named, not only that time is up.
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => {
      throw new Error(`the page failed: ${message}`);
    });
    await page.goto(url);
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
    if (this.#child && this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill();
      await ended;
    }
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
