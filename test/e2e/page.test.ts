import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../browser.ts';
import { PageServer, seriousViolations, shows } from '../page-server.ts';
import { bundle } from '../program.ts';
import { unzip } from '../unzip.ts';

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
    await shows(page, 'Find things out.');
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

const promptRow = (page: Page, name: string) => page.locator(`.row:has(a:text-is("${name}"))`);

describe('prompts', () => {
  it('are rendered while the arguments are typed', async () => {
    const page = await open();
    await page.getByText('research').first().click();
    await page.getByLabel(/^input/).fill('tides');
    await shows(page, 'Topic: tides');
    await page.locator('.template .token-value').waitFor();
  });

  it('with thousands of arguments show the first fields and name the missing required ones', async () => {
    mkdirSync(join(home, 'libraries', 'wide', 'prompts'), { recursive: true });
    const argument = (_: unknown, index: number) =>
      `[[prompts.form.arguments]]\nname = "field${index}"\nrequired = ${index < 4}\n`;
    writeFileSync(
      join(home, 'libraries', 'wide', 'twig.toml'),
      `[prompts.form]\ndescription = "Asks."\n${Array.from({ length: 5000 }, argument).join('')}`,
    );
    writeFileSync(join(home, 'libraries', 'wide', 'prompts', 'form.md'), 'Asked: {{ field0 }}.\n');
    const page = await open();
    await page.getByRole('link', { name: 'wide:form' }).click();
    await shows(page, 'Fill in field0, field1, field2 and 1 more to see the result.');
    for (const index of [0, 1, 2, 3]) await page.getByLabel(`field${index} required`).fill('here');
    await shows(page, 'Asked: here.');
    expect(await page.locator('.arguments textarea').count()).toBe(100);
    await page.getByRole('button', { name: 'Show 100 of 4900 more arguments' }).click();
    expect(await page.locator('.arguments textarea').count()).toBe(200);
  });

  it('suggest argument values and copy the result', async () => {
    mkdirSync(join(home, 'libraries', 'lib', 'prompts'), { recursive: true });
    writeFileSync(
      join(home, 'libraries', 'lib', 'twig.toml'),
      '[prompts.tune]\ndescription = "Plays."\n[[prompts.tune.arguments]]\nname = "key"\nvalues = ["major", "minor"]\n',
    );
    writeFileSync(join(home, 'libraries', 'lib', 'prompts', 'tune.md'), 'Play in {{ key }}.\n');
    const page = await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('link', { name: 'lib:tune' }).click();
    await page.getByLabel(/^key/).click();
    await page.getByRole('button', { name: 'minor' }).click();
    await shows(page, 'Play in minor.');
    await page.getByRole('button', { name: 'Copy' }).click();
    await shows(page, 'Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('Play in minor.');
  });

  it('are filtered while the query is typed', async () => {
    writeFileSync(join(home, 'commands', 'other.md'), '---\ndescription: Something else.\n---\nX\n');
    const page = await open();
    await shows(page, 'Something else.');
    await page.getByRole('searchbox').fill('rese');
    await page.getByText('Something else.').first().waitFor({ state: 'detached' });
    await shows(page, 'Find things out.');
  });

  it('are imported from files of other programs, and their problems are shown', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Import or export' }).click();
    await page.locator('.exchange input[type=file]').setInputFiles({
      name: 'imported.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('---\ndescription: Came from elsewhere.\n---\nDo $ARGUMENTS\n'),
    });
    await shows(page, 'Came from elsewhere.');
    await page.locator('.exchange input[type=file]').setInputFiles({
      name: 'has-a-dash.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('Do it\n'),
    });
    await shows(page, 'the name becomes has_a_dash');
    writeFileSync(
      join(home, 'commands', 'spaced.md'),
      '---\ndescription: Spaces where none belong.\n---\nSay {{ input }}\n',
    );
    await page.getByRole('link', { name: 'spaced' }).click();
    await page.getByRole('list', { name: 'Problems' }).waitFor();
  });

  it('are exported as one archive', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Import or export' }).click();
    await page.getByLabel('Format').selectOption('claude-code');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export all' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('prompts-claude-code.zip');
    const folder = mkdtempSync(join(tmpdir(), 'adjutant-export-'));
    try {
      await download.saveAs(join(folder, 'all.zip'));
      unzip(join(folder, 'all.zip'), folder);
      expect(readFileSync(join(folder, 'research.md'), 'utf8')).toContain('Topic:');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('show a problem badge in the list until the problem is fixed', async () => {
    mkdirSync(join(home, 'libraries', 'shared', 'prompts'), { recursive: true });
    writeFileSync(
      join(home, 'libraries', 'shared', 'twig.toml'),
      ['one', 'two', 'good'].map((name) => `[prompts.${name}]\ndescription = "d"\n`).join(''),
    );
    const template = (name: string, text: string) =>
      writeFileSync(join(home, 'libraries', 'shared', 'prompts', `${name}.md`), text);
    template('part', '{{ nobody }}');
    template('one', '{% include "part.md" %}');
    template('two', '{% include "part.md" %}{{ maybe|default("") }}');
    template('good', 'Fine.');
    const page = await open();
    await promptRow(page, 'shared:one').getByRole('img', { name: '1 error', exact: true }).waitFor();
    await promptRow(page, 'shared:two').getByRole('img', { name: '1 error, 1 warning' }).waitFor();
    expect(await promptRow(page, 'shared:two').getByRole('img').textContent()).toBe('! 2');
    expect(await promptRow(page, 'shared:good').getByRole('img').count()).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    // The prompt lists the problems that its row counts.
    await page.getByRole('link', { name: 'shared:two', exact: true }).click();
    await page.getByRole('list', { name: 'Problems' }).getByText('undefined variable: nobody').waitFor();
    template('part', 'All is well.');
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await promptRow(page, 'shared:one').getByRole('img').waitFor({ state: 'detached' });
    await promptRow(page, 'shared:two').getByRole('img', { name: '1 warning', exact: true }).waitFor();
  });

  it('lose their problem badge when they are corrected on the page', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'New prompt' }).click();
    await page.getByLabel('Name', { exact: true }).fill('marked');
    await page.getByLabel(/^Text/).fill('Say {{ word }}');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = promptRow(page, 'marked');
    await row.getByRole('img', { name: '1 error' }).waitFor();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel(/^Text/).fill('Say a word.');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('img').waitFor({ state: 'detached' });
  });

  it('appear without a reload when a file is written', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    writeFileSync(join(home, 'commands', 'fresh.md'), '---\ndescription: Just written.\n---\nX\n');
    await shows(page, 'Just written.');
  });

  it('update in one window when they are created, edited, deleted or restored in another', async () => {
    const [one, other] = [await open(), await open()];
    await shows(other, 'Find things out.');
    await one.getByRole('link', { name: 'New prompt' }).click();
    await one.getByLabel('Name', { exact: true }).fill('greeting');
    await one.getByLabel('Description', { exact: true }).fill('Says hello.');
    await one.getByLabel(/^Text/).fill('Hello {{who}}');
    await one.getByRole('button', { name: 'Create' }).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('Description', { exact: true }).fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(other, 'Says good day.');
    await one.getByRole('tab', { name: 'History' }).click();
    await one.getByRole('button', { name: 'Show changes' }).first().click();
    await one.locator('.difference .added').getByText('+ description: Says good day.').waitFor();
    await one.getByRole('button', { name: 'Show changes' }).nth(1).click();
    await one.locator('.difference .added').getByText('+ Hello {{who}}').waitFor();
    await one.getByRole('button', { name: 'Restore' }).nth(1).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('Description of who').fill('A name');
    await one.getByLabel('Description', { exact: true }).fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(one, 'A name');
    await one.getByRole('button', { name: 'Delete' }).click();
    await other.getByText('Says good day.').first().waitFor({ state: 'detached' });
    await one.getByRole('button', { name: 'Undo' }).click();
    await shows(other, 'Says good day.');
  });
});

/** Uses every field that a prompt can have, including those the editor does not show. */
const rich = {
  name: 'rich',
  title: 'Rich',
  description: 'Has everything.',
  arguments: [
    { name: 'topic', description: 'What about', default: 'tides', values: ['tides', 'moon'] },
    { name: 'report', files: true, default: 'notes.md' },
    { name: 'reader', description: 'Who reads it', required: true, values: ['Ada', 'Bo'] },
    { name: 'spare', default: 'unused' },
    { name: 'last-words', default: 'Bye.' },
  ],
  messages: [
    {
      role: 'assistant',
      content: { type: 'text', text: 'Write about {{topic}}.', annotations: { priority: 1 } },
    },
    { role: 'user', content: { type: 'text', text: 'For {{reader}}, from {{report}}.' } },
    { role: 'user', content: { type: 'text', text: '{{last-words}}' } },
  ],
  tags: ['two words', 'plain'],
  origin: 'elsewhere',
};

describe('editing a prompt', () => {
  const file = join(home, 'prompts', 'user.jsonl');
  const saved = () => {
    const {
      created: _,
      updated: __,
      ...record
    } = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1)!);
    return record as typeof rich;
  };
  const edit = async (record: object) => {
    mkdirSync(join(home, 'prompts'), { recursive: true });
    writeFileSync(file, `${JSON.stringify(record)}\n`);
    const page = await open(server.view('#/prompts/rich'));
    await page.getByLabel('Token or full address').fill(server.address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel(/^Text/).waitFor();
    return page;
  };
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  };
  afterAll(() => rmSync(file));

  it('keeps all fields and arguments that the editor does not show', async () => {
    const page = await edit(rich);
    await page.getByLabel('Description', { exact: true }).fill('Changed.');
    await page.getByLabel(/^Text/).fill('Write all about {{topic}}.');
    await save(page);
    const [first, ...others] = rich.messages;
    const content = { ...first!.content, text: 'Write all about {{topic}}.' };
    expect(saved()).toEqual({
      ...rich,
      description: 'Changed.',
      messages: [{ ...first, content }, ...others],
    });
  });

  it('changes only the argument whose description is edited', async () => {
    const page = await edit(rich);
    await page.getByLabel('Description of reader').fill('The audience');
    await save(page);
    const args = rich.arguments.map((one) =>
      one.name === 'reader' ? { ...one, description: 'The audience' } : one,
    );
    expect(saved()).toEqual({ ...rich, arguments: args });
  });

  it('adds arguments that the new text uses and removes arguments no message uses any longer', async () => {
    const page = await edit(rich);
    await page.getByLabel(/^Text/).fill('For {{reader}}: {{ title }} {{length}}.');
    await save(page);
    const [, ...kept] = rich.arguments;
    expect(saved().arguments).toEqual([...kept, { name: 'length', required: true }]);
  });

  it('restores all fields of an argument when the text uses it again', async () => {
    const page = await edit(rich);
    await page.getByLabel(/^Text/).fill('Write.');
    await page.getByLabel('Description of reader').fill('The audience');
    await page.getByLabel(/^Text/).fill('Write about {{topic}}!');
    await page.getByLabel('Description of topic').waitFor();
    await save(page);
    const args = rich.arguments.map((one) =>
      one.name === 'reader' ? { ...one, description: 'The audience' } : one,
    );
    expect(saved().arguments).toEqual(args);
  });

  it('keeps a first message that is not text', async () => {
    const image = { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } };
    const page = await edit({ ...rich, messages: [image, ...rich.messages.slice(1)] });
    await page.getByLabel('Title').fill('Richer');
    await page.getByLabel(/^Text/).fill('From {{report}} for {{reader}}.');
    await save(page);
    const [, , last] = rich.messages;
    const second = { role: 'user', content: { type: 'text', text: 'From {{report}} for {{reader}}.' } };
    expect(saved()).toEqual({ ...rich, title: 'Richer', messages: [image, second, last] });
  });
});

describe('the server view', () => {
  it('shows clients, requests, problems and settings', async () => {
    writeFileSync(join(home, 'commands', 'broken.md'), 'nothing\n');
    const page = await open();
    await page.getByRole('link', { name: 'Server' }).click();
    await shows(page, /broken\.md:1/);
    await shows(page, 'adjutant-page 1');
    await shows(page, 'prompts/list');
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
  ])(
    'has no serious accessibility violations in both themes and fits a phone screen: %s',
    async (view) => {
      const page = await open();
      await shows(page, 'Find things out.');
      for (const [colorScheme, width] of [
        ['light', 1200],
        ['dark', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 800 });
        await page.goto(server.view(view));
        await page.locator('main :is(h1, .empty, .row):visible').first().waitFor();
        expect(await seriousViolations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    },
  );

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
    await page.getByText('‹ All prompts').click();
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
    const script = readFileSync(join(folder, 'main.js'));
    expect(gzipSync(script).length).toBeLessThan(150_000);
    for (const file of ['index.html', 'main.css'])
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/https?:\/\//);
  });
});
