import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { PageServer, seriousViolations, shows } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const { home } = server;
const open = (url?: string) => server.open(url);

beforeAll(async () => {
  mkdirSync(join(home, 'commands'));
  writeFileSync(
    join(home, 'commands', 'research.md'),
    '---\ndescription: Find things out.\n---\nTopic: {{input}}\n',
  );
  await server.start();
});
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

describe('signing in', () => {
  it('removes the token from the address', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    expect(page.url()).not.toContain('token');
  });

  it('asks for the token if it is missing, and reports a wrong token', async () => {
    const page = await open(server.view(''));
    expect(await seriousViolations(page)).toEqual([]);
    for (const token of [`${server.view('')}#token=…`, 'wrong-token-wrong-token']) {
      await page.getByLabel('Token or full address').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await shows(page, 'This token is not valid for this server.');
      await page.reload();
    }
    await page.getByLabel('Token or full address').fill(server.address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Today' }).waitFor();
  });

  it('asks for the token again if the server rejects it', async () => {
    const page = await open(server.view('#token=old-token-old-token'));
    await page.getByLabel('Token or full address').waitFor();
  });

  it('asks for the token again after a restart with another token', async () => {
    const restarted = new PageServer();
    await restarted.start();
    try {
      const page = await restarted.open();
      await page.locator('.live.on').waitFor();
      await restarted.stopServer();
      rmSync(join(restarted.home, 'token'));
      await restarted.startServer();
      await page.getByLabel('Token or full address').waitFor();
    } finally {
      await restarted.stop();
    }
  });

  it('works with an address that contains invalid percent-encoding', async () => {
    const page = await open();
    await page.goto(server.view('#/prompts/100%'));
    await page.reload();
    await shows(page, 'Prompt “100%” not found.');
  });
});

describe('the server view', () => {
  it('shows clients, requests, problems and settings', async () => {
    writeFileSync(join(home, 'commands', 'broken.md'), 'nothing\n');
    const page = await open();
    await page.getByRole('link', { name: 'Server' }).click();
    await shows(page, /broken\.md:1/);
    await shows(page, 'adjutant-page 1');
    await page.getByRole('tab', { name: 'Settings' }).click();
    await shows(page, 'flag --port');
    rmSync(join(home, 'commands', 'broken.md'));
  });
});

describe('the page', () => {
  it.each([
    '#/prompts',
    '#/prompts/research',
    '#/prompts/+new',
    '#/prompts/+exchange',
    '#/prompts/+problems',
    '#/runs',
    '#/runs/+new',
    '#/calendar',
    '#/server',
    '#/server/+activity',
    '#/server/+settings',
    '#/server/+tools/list_prompts',
    '#/prompts/+start',
    '#/prompts/+trash',
  ])('has no serious accessibility violations in both themes and fits a phone screen: %s', async (view) => {
    const page = await open();
    await shows(page, 'Find things out.');
    for (const [colorScheme, width] of [
      ['light', 1200],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      await page.goto(server.view(view));
      await page.locator('main :is(h1, .empty, .list-row):visible').first().waitFor();
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
  });

  it('follows an address that changes while the page starts', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    // The page is rendered by then, but its effects have not run.
    await page
      .context()
      .addInitScript("addEventListener('DOMContentLoaded', () => { location.hash = '#/server'; })");
    await page.reload();
    await page.getByRole('heading', { name: 'Server' }).waitFor();
  });

  it('can be used with the keyboard alone', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    await page.keyboard.press('/');
    await page.keyboard.type('research');
    await page.keyboard.press('ArrowDown');
    await page.getByLabel(/^input/).waitFor();
    await page.getByRole('list', { name: 'Prompts' }).focus();
    await page.getByRole('searchbox').fill('');
    await page.getByRole('list', { name: 'Prompts' }).focus();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'Request Code Review' }).waitFor();
  });

  it('reports a lost connection and recovers when the server is back', async () => {
    const restarted = new PageServer();
    await restarted.start();
    try {
      const page = await restarted.open();
      await page.locator('.live.on').waitFor();
      await restarted.stopServer();
      await shows(page, 'Disconnected, reconnecting…');
      await page.getByRole('link', { name: 'Runs' }).click();
      await shows(page, 'The server is not responding. Is it running?');
      await restarted.startServer();
      await page.locator('.live.on').waitFor();
      await shows(page, '0 runs');
    } finally {
      await restarted.stop();
    }
  });

  it('keeps the selected theme after a reload', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  });

  it('navigates from the list to a prompt and back on a phone', async () => {
    const page = await open();
    await page.setViewportSize({ width: 380, height: 700 });
    await page.getByRole('link', { name: 'research' }).click();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link').click();
    await page.getByRole('link', { name: 'research' }).waitFor();
  });

  it('blocks inline scripts, inline styles and text inserted as markup', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    const blocked = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
      const seen = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        seen.push(effectiveDirective);
        if (seen.length === 3) resolve(seen.sort());
      });
      const script = document.createElement('script');
      try {
        script.textContent = 'document.body.remove()';
      } catch {}
      document.body.append(script);
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.body.append(style);
      try {
        document.body.innerHTML = '<p>';
      } catch {}
    })`);
    expect(blocked).toEqual(['require-trusted-types-for', 'require-trusted-types-for', 'style-src-elem']);
    await shows(page, 'Find things out.');
  });

  it('loads nothing from other hosts and stays small', () => {
    const folder = join(bundle, '..', 'page');
    expect(existsSync(join(folder, 'main.js'))).toBe(true);
    expect(firstScripts(folder).reduce((sum, text) => sum + gzipSync(text).length, 0)).toBeLessThan(40_000);
    for (const file of ['index.html', 'main.css'])
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/https?:\/\//);
  });
});

/** The texts of main.js and of every chunk that it needs before it can run. */
function firstScripts(folder: string, name = 'main.js', seen = new Set<string>()): readonly string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const text = readFileSync(join(folder, name), 'utf8');
  const imported = text.matchAll(/\b(?:from|import)"\.\/([\w-]+\.js)"/g);
  return [text, ...[...imported].flatMap(([, file]) => firstScripts(folder, file, seen))];
}
