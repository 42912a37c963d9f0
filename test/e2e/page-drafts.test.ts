import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forms } from '../../src/web/page/shared/draft-storage.ts';
import { componentFile } from '../components.ts';
import { type Model, startResponsesModel } from '../model/responses-model.ts';
import { answer, script } from '../model/turn.ts';
import { openProfile, type Page } from '../page/browser.ts';
import { callTool } from '../page/calendar-client.ts';
import { formsWith, putThings, typedIn, typeInto } from '../page/form-drafts.ts';
import { PageServer, seriousViolations } from '../page/page-server.ts';
import { bundle } from '../program.ts';

const server = new PageServer();
const file = join(server.home, 'prompts', 'user.jsonl');
const prompt = (name: string, text: string) =>
  `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;

let model: Model;

beforeAll(async () => {
  model = await startResponsesModel();
  const codexHome = join(server.home, 'codex');
  mkdirSync(codexHome);
  writeFileSync(join(codexHome, 'config.toml'), model.config);
  await server.start({
    CODEX_HOME: codexHome,
    PATH: [componentFile('.bin'), process.env['PATH']].join(delimiter),
    ADJUTANT_DELEGATE_APPROVALS: 'ask',
    ADJUTANT_DELEGATE_ANSWER_WITHIN_SECONDS: '1',
  });
});
beforeEach(() => {
  mkdirSync(join(server.home, 'prompts'), { recursive: true });
  writeFileSync(file, prompt('greet', 'Hello {{who}}') + prompt('other', 'Something else'));
});
afterEach(() => server.closeWindows());
afterAll(async () => {
  await server.stop();
  await model.close();
});

const go = (page: Page, name: string) =>
  page.evaluate(`location.hash = '#/prompts/${encodeURIComponent(name)}'`);
const textOf = (page: Page) => page.getByLabel(/^Text/).inputValue();

/** Opens the editor of "greet" and types a text without saving it. */
async function typeDraft(): Promise<Page> {
  const page = await server.open();
  await go(page, 'greet');
  await page.getByRole('tab', { name: 'Edit' }).click();
  await page.getByLabel(/^Text/).fill('Draft for {{who}}');
  return page;
}

describe('unsaved edits of a prompt', () => {
  it('survive another prompt, another view, a reload and a closed tab', async () => {
    const page = await typeDraft();
    await page.locator('.row-link').getByText('other').click();
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await page.locator('.list-row .draft').waitFor();
    await go(page, 'greet');
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.evaluate("location.hash = '#/server'");
    await page.getByRole('heading', { name: 'Health' }).waitFor();
    await go(page, 'greet');
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.reload();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    expect(await seriousViolations(page)).toEqual([]);
    const tab = await server.openTab(page);
    await page.close();
    await go(tab, 'greet');
    expect(await textOf(tab)).toBe('Draft for {{who}}');
    await tab.getByRole('button', { name: 'Save' }).click();
    await tab.locator('.template').getByText('Draft for').waitFor();
    expect(await tab.locator('.editor .draft').count()).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('Draft for {{who}}');
  });

  it('are removed with Discard, and Undo restores them', async () => {
    const page = await typeDraft();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.locator('.editor .draft').waitFor({ state: 'detached' });
    expect(await textOf(page)).toBe('Hello {{who}}');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.editor .draft').waitFor();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await page.reload();
    expect(await textOf(page)).toBe('Hello {{who}}');
    await go(page, 'other');
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  });

  it('conflict with a version that was saved in the meantime', async () => {
    const page = await typeDraft();
    await go(page, 'other');
    writeFileSync(file, prompt('greet', 'Changed for {{who}}') + prompt('other', 'Something else'));
    await page.reload();
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'This prompt was changed elsewhere' }).waitFor();
    await page.getByRole('alert').getByText('Another program saved another version').waitFor();
    await page.getByRole('button', { name: 'Compare' }).click();
    const both = page.locator('.conflict-versions .diff');
    expect(await both.nth(0).textContent()).toContain('+Draft for {{who}}');
    expect(await both.nth(1).textContent()).toContain('−Changed for {{who}}');
  });

  it('can be kept when the prompt was deleted in the meantime', async () => {
    const page = await typeDraft();
    await go(page, 'other');
    writeFileSync(file, prompt('other', 'Something else'));
    await page.reload();
    await page.locator('.list-row').getByText('greet').waitFor({ state: 'detached' });
    await go(page, 'greet');
    await page.getByRole('heading', { name: 'This prompt was deleted elsewhere' }).waitFor();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.locator('.template').getByText('Draft for').waitFor();
    expect(readFileSync(file, 'utf8')).toContain('Draft for {{who}}');
  });

  it('of a new prompt survive a reload and end when it is created', async () => {
    const page = await server.open();
    await go(page, '+new');
    await page.getByLabel('Name', { exact: true }).fill('fresh');
    await page.getByLabel(/^Text/).fill('Fresh text');
    await go(page, 'other');
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'New prompt' }).click();
    await page.locator('.editor .draft').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('fresh');
    expect(await textOf(page)).toBe('Fresh text');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.template').getByText('Fresh text').waitFor();
    await go(page, '+new');
    await page.getByRole('heading', { name: 'New prompt' }).waitFor();
    expect(await textOf(page)).toBe('');
  });

  it('of two tabs do not replace each other', async () => {
    const page = await typeDraft();
    const tab = await server.openTab(page);
    await go(tab, 'greet');
    await tab.getByLabel(/^Text/).fill('From the second tab');
    await page.reload();
    expect(await textOf(page)).toBe('Draft for {{who}}');
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await tab.reload();
    expect(await textOf(tab)).toBe('From the second tab');
  });
});

const tokens = (...args: readonly string[]) =>
  execFileSync(process.execPath, [bundle, 'tokens', ...args, '--home', server.home, '--quiet'], {
    encoding: 'utf8',
  }).trim();

/** Signs in with another token after the server has rejected the one before. */
async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token or full address').waitFor();
  await page.getByLabel('Token or full address').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.live.on').waitFor();
}

/** A run that asks for permission, and an item of the inbox with a question of another agent. */
async function waitingThings(): Promise<{ readonly open: string; readonly question: string }> {
  const asking = {
    tool: 'exec_command',
    arguments: {
      cmd: `touch ${join(server.home, 'outside')}`,
      sandbox_permissions: 'require_escalated',
      justification: 'to test',
    },
  };
  const cwd = join(server.home, 'work');
  mkdirSync(cwd, { recursive: true });
  const more = { cwd, skip_git_repo_check: true };
  await callTool(server, 'delegate_run', {
    ...{ task: `Paint ${script(answer({ open_questions: ['Which colour?'] }))}`, ...more },
  });
  await callTool(server, 'delegate_run', {
    ...{ task: `Create it ${script(asking, answer())}`, sandbox: 'workspace-write', ...more },
  });
  const waiting = async (kind: string) => {
    const { items } = await callTool<{
      items: { id: string; kind: string; request?: { run_id: string } }[];
    }>(server, 'list_inbox', {});
    return items.find((one) => one.kind === kind);
  };
  await expect.poll(() => waiting('question'), { timeout: 30_000 }).toBeDefined();
  await expect.poll(() => waiting('approval'), { timeout: 30_000 }).toBeDefined();
  return {
    open: (await waiting('approval'))!.request!.run_id,
    question: encodeURIComponent((await waiting('question'))!.id),
  };
}

describe('every form', () => {
  const sources = () =>
    globSync('src/web/page/**/*.tsx').map((file) => [file, readFileSync(file, 'utf8')] as const);

  it('keeps a draft, except the one that asks for the token', () => {
    const without = sources().flatMap(([file, text]) =>
      (text.match(/<(form|ActionForm)\b[\s\S]*?[^=]>/g) ?? [])
        .filter((tag) => !/data-form=|draft=/.test(tag))
        .map(() => file),
    );
    expect(without).toEqual(['src/web/page/shared/sign-in.tsx']);
    const all = sources()
      .map(([, text]) => text)
      .join('\n');
    expect(Object.keys(forms).filter((name) => !all.includes(`'${name}'`))).toEqual([]);
  });

  it('is needed wherever text is typed, except in searches and the choice of a file', () => {
    // An input of another type, such as a box to check, is no field for text.
    const typed =
      /<(textarea|TextField|TextArea|FolderField)\b|<input\b(?![\s\S]{0,80}?type="(radio|checkbox|file|search)")/;
    const without = sources()
      .filter(([, text]) => typed.test(text) && !/useDraft[<(]|writeDraft\(/.test(text))
      .map(([file]) => file.replace('src/web/page/', ''));
    expect(without.sort()).toEqual([
      // The fields themselves, and parts of forms that keep a draft.
      'controls/fields.tsx',
      'people/lead-fields.tsx',
      'prompt-editing/highlighted-text.tsx',
      'prompt-editing/prompt-fields.tsx',
      // The token is a secret.
      'shared/sign-in.tsx',
      // A search.
      'shell/command-palette.tsx',
    ]);
  });

  it('has what was typed after Back, a reload, a closed tab, a killed browser, a restart and a revoked token', {
    timeout: 240_000,
  }, async () => {
    const all = formsWith({ ...(await putThings(server)), ...(await waitingThings()) });
    const profile = mkdtempSync(join(tmpdir(), 'adjutant-profile-'));
    let context = await openProfile(profile);
    context.setDefaultTimeout(15_000);
    const open = async (hash = '') => {
      const page = await context.newPage();
      await page.goto(hash === '' ? server.address : server.view(hash));
      await page.waitForFunction("!location.hash.includes('token=')");
      return page;
    };
    /** The forms that lost what was typed. */
    const lost = async (page: Page) => {
      const empty: string[] = [];
      for (const [name, address] of all) {
        await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
        if ((await typedIn(page, name)) !== `typed ${name}`) empty.push(name);
      }
      return empty;
    };
    try {
      let page = await open();
      for (const [name, address] of all) {
        await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
        await typeInto(page, name);
        await page.evaluate("location.hash = '#/server/+settings'");
        await page.getByRole('heading', { name: 'Settings' }).waitFor();
        await page.evaluate('history.back()');
        expect(await typedIn(page, name), `${name} after Back`).toBe(`typed ${name}`);
      }
      for (const [name, address] of all) {
        await page.goto(server.view(address));
        await page.reload();
        expect(await typedIn(page, name), `${name} after a reload`).toBe(`typed ${name}`);
      }
      await page.close();
      page = await open();
      expect(await lost(page), 'after the tab was closed').toEqual([]);

      // The backup is on the disk at once. The browser would write its local storage up to minutes later.
      const [last] = all.at(-1)!;
      const databases = join(profile, 'Default', 'IndexedDB');
      const written = () =>
        globSync('**/*.log', { cwd: databases }).some((name) =>
          readFileSync(join(databases, name)).includes(`typed ${last}`),
        );
      await expect.poll(written, { timeout: 30_000, interval: 200 }).toBe(true);
      const devtools = await context.newCDPSession(page);
      await devtools.send('Browser.crash').catch(() => {});
      context = await openProfile(profile);
      context.setDefaultTimeout(15_000);
      page = await open();
      expect(await lost(page), 'after the browser was killed').toEqual([]);

      await server.stopServer();
      await page.locator('.live.off').waitFor();
      await server.startServer();
      await page.locator('.live.on').waitFor();
      expect(await lost(page), 'after a restart of the server').toEqual([]);

      // A retry cannot create a token of the same name.
      const laptop = `laptop-${Date.now()}`;
      await page.goto(server.view(`#token=${tokens('create', laptop, '--scope', 'admin')}`));
      await page.reload();
      await page.locator('.live.on').waitFor();
      expect(await lost(page), 'with a token of the same rights').toEqual([]);
      tokens('revoke', laptop);
      await signIn(page, server.address);
      expect(await lost(page), 'after the token was revoked').toEqual([]);

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Token or full address').waitFor();
      expect(
        await page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('adjutant-draft'))"),
      ).toEqual([]);
    } finally {
      await context.close().catch(() => {});
      rmSync(profile, { recursive: true, force: true, maxRetries: 20 });
    }
  });
});
