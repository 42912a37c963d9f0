import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../browser.ts';
import { PageServer, seriousFaults, shows } from '../page-server.ts';
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

describe('the way in', () => {
  it('takes the token out of the address', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    expect(page.url()).not.toContain('token');
  });

  it('asks for the token when there is none, and says so when it is wrong', async () => {
    const page = await open(server.view(''));
    expect(await seriousFaults(page)).toEqual([]);
    for (const token of [`${server.view('')}#token=…`, 'wrong-token-wrong-token']) {
      await page.getByLabel('Token or whole address').fill(token);
      await page.getByRole('button', { name: 'Enter' }).click();
      await shows(page, 'That is not the token of this server.');
      await page.reload();
    }
    await page.getByLabel('Token or whole address').fill(server.address);
    await page.getByRole('button', { name: 'Enter' }).click();
    await shows(page, 'Find things out.');
  });

  it('asks again when a token is not good any more', async () => {
    const page = await open(server.view('#token=old-token-old-token'));
    await page.getByLabel('Token or whole address').waitFor();
  });

  it('asks again when the server comes back with another token', async () => {
    const own = new PageServer();
    await own.start();
    try {
      const page = await own.open();
      await page.locator('.live.on').waitFor();
      await own.stopServer();
      rmSync(join(own.home, 'token'));
      await own.startServer();
      await page.getByLabel('Token or whole address').waitFor();
    } finally {
      await own.stop();
    }
  });

  it('is not barred by an address that is not escaped as it should be', async () => {
    const page = await open();
    await page.goto(server.view('#/prompts/100%'));
    await page.reload();
    await shows(page, 'There is no prompt 100% (any more).');
  });
});

const rowOf = (page: Page, name: string) => page.locator(`.row:has(a:text-is("${name}"))`);

describe('prompts', () => {
  it('are filled in and rendered live', async () => {
    const page = await open();
    await page.getByText('research').first().click();
    await page.getByLabel(/^input/).fill('tides');
    await shows(page, 'Topic: tides');
    await page.locator('.template .token-value').waitFor();
  });

  it('with thousands of arguments ask for some of them, and for what must be given', async () => {
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
    await shows(page, 'Fill in field0, field1, field2 and 1 more to see it.');
    for (const index of [0, 1, 2, 3]) await page.getByLabel(`field${index} required`).fill('here');
    await shows(page, 'Asked: here.');
    expect(await page.locator('.arguments textarea').count()).toBe(100);
    await page.getByRole('button', { name: 'Show 100 of 4900 more arguments' }).click();
    expect(await page.locator('.arguments textarea').count()).toBe(200);
  });

  it('propose values for their arguments, and copy what comes of it', async () => {
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

  it('are found while typing', async () => {
    writeFileSync(join(home, 'commands', 'other.md'), '---\ndescription: Something else.\n---\nX\n');
    const page = await open();
    await shows(page, 'Something else.');
    await page.getByRole('searchbox').fill('rese');
    await page.getByText('Something else.').first().waitFor({ state: 'detached' });
    await shows(page, 'Find things out.');
  });

  it('are taken over from files of other programs, with what lint finds in them beside them', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'Import, export' }).click();
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

  it('are marked in the list with what is wrong with them, until it is right', async () => {
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
    await rowOf(page, 'shared:one').getByRole('img', { name: '1 error', exact: true }).waitFor();
    await rowOf(page, 'shared:two').getByRole('img', { name: '1 error, 1 warning' }).waitFor();
    expect(await rowOf(page, 'shared:two').getByRole('img').textContent()).toBe('! 2');
    expect(await rowOf(page, 'shared:good').getByRole('img').count()).toBe(0);
    expect(await seriousFaults(page)).toEqual([]);
    // What the row counts is what the prompt shows.
    await page.getByRole('link', { name: 'shared:two', exact: true }).click();
    await page.getByRole('list', { name: 'Problems' }).getByText('undefined variable: nobody').waitFor();
    template('part', 'All is well.');
    await page.evaluate('dispatchEvent(new Event("focus"))');
    await rowOf(page, 'shared:one').getByRole('img').waitFor({ state: 'detached' });
    await rowOf(page, 'shared:two').getByRole('img', { name: '1 warning', exact: true }).waitFor();
  });

  it('are not marked any more as soon as the page has put them right', async () => {
    const page = await open();
    await page.getByRole('link', { name: 'New' }).click();
    await page.getByLabel('Name', { exact: true }).fill('marked');
    await page.getByLabel(/^Text/).fill('Say {{ word }}');
    await page.getByRole('button', { name: 'Create' }).click();
    const row = rowOf(page, 'marked');
    await row.getByRole('img', { name: '1 error' }).waitFor();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel(/^Text/).fill('Say a word.');
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByRole('img').waitFor({ state: 'detached' });
  });

  it('appear without reload when a file is written', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    writeFileSync(join(home, 'commands', 'fresh.md'), '---\ndescription: Just written.\n---\nX\n');
    await shows(page, 'Just written.');
  });

  it('appear in one window when they are made and changed in another, and come back after a deletion', async () => {
    const [one, other] = [await open(), await open()];
    await shows(other, 'Find things out.');
    await one.getByRole('link', { name: 'New' }).click();
    await one.getByLabel('Name', { exact: true }).fill('greeting');
    await one.getByLabel('Description').fill('Says hello.');
    await one.getByLabel(/^Text/).fill('Hello {{who}}');
    await one.getByRole('button', { name: 'Create' }).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('Description').fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(other, 'Says good day.');
    await one.getByRole('tab', { name: 'History' }).click();
    await one.getByRole('button', { name: 'What changed' }).first().click();
    await one.locator('.difference .added').getByText('+ description: Says good day.').waitFor();
    await one.getByRole('button', { name: 'What changed' }).nth(1).click();
    await one.locator('.difference .added').getByText('+ Hello {{who}}').waitFor();
    await one.getByRole('button', { name: 'Restore' }).nth(1).click();
    await shows(other, 'Says hello.');
    await one.getByRole('tab', { name: 'Edit' }).click();
    await one.getByLabel('What who means').fill('A name');
    await one.getByLabel('Description').fill('Says good day.');
    await one.getByRole('button', { name: 'Save' }).click();
    await shows(one, 'A name');
    await one.getByRole('button', { name: 'Delete' }).click();
    await other.getByText('Says good day.').first().waitFor({ state: 'detached' });
    await one.getByRole('button', { name: 'Undo' }).click();
    await shows(other, 'Says good day.');
  });
});

/** With everything a prompt can have that the editor does not show. */
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
    await page.getByLabel('Token or whole address').fill(server.address);
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByLabel(/^Text/).waitFor();
    return page;
  };
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  };
  afterAll(() => rmSync(file));

  it('keeps every field and argument the editor does not show', async () => {
    const page = await edit(rich);
    await page.getByLabel('Description').fill('Changed.');
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

  it('changes only the argument whose meaning or need is edited', async () => {
    const page = await edit(rich);
    await page.getByLabel('What reader means').fill('The audience');
    await save(page);
    const args = rich.arguments.map((one) =>
      one.name === 'reader' ? { ...one, description: 'The audience' } : one,
    );
    expect(saved()).toEqual({ ...rich, arguments: args });
  });

  it('adds the arguments a new text uses and drops those no message uses any more', async () => {
    const page = await edit(rich);
    await page.getByLabel(/^Text/).fill('For {{reader}}: {{ title }} {{length}}.');
    await save(page);
    const [, ...kept] = rich.arguments;
    expect(saved().arguments).toEqual([...kept, { name: 'length', required: true }]);
  });

  it('brings an argument back whole when the text uses it again', async () => {
    const page = await edit(rich);
    await page.getByLabel(/^Text/).fill('Write.');
    await page.getByLabel('What reader means').fill('The audience');
    await page.getByLabel(/^Text/).fill('Write about {{topic}}!');
    await page.getByLabel('What topic means').waitFor();
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

describe('the server', () => {
  it('shows its clients, requests, problems and settings', async () => {
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

describe('the page itself', () => {
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
    'has no serious fault for those who cannot see it, in both themes, and fits a phone: %s',
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
        expect(await seriousFaults(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
    },
  );

  it('is used by keyboard alone', async () => {
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

  it('says that the server is gone, and goes on when it is back', async () => {
    const own = new PageServer();
    await own.start();
    try {
      const page = await own.open();
      await page.locator('.live.on').waitFor();
      await own.stopServer();
      await shows(page, 'no connection, trying again');
      await page.getByRole('link', { name: 'Runs' }).click();
      await shows(page, 'The server does not answer. Is it running?');
      await own.startServer();
      await page.locator('.live.on').waitFor();
      await shows(page, '0 runs');
    } finally {
      await own.stop();
    }
  });

  it('keeps the theme that was chosen', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Theme: auto' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark');
  });

  it('goes from the list to one prompt and back on a phone', async () => {
    const page = await open();
    await page.setViewportSize({ width: 380, height: 700 });
    await page.getByRole('link', { name: 'research' }).click();
    await page.getByText('‹ All prompts').click();
    await page.getByRole('link', { name: 'research' }).waitFor();
  });

  it('lets nothing inline run or style it, and no text become markup', async () => {
    const page = await open();
    await shows(page, 'Find things out.');
    const refused = await page.evaluate<readonly string[]>(`new Promise((resolve) => {
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
    expect(refused).toEqual(['require-trusted-types-for', 'require-trusted-types-for', 'style-src-elem']);
    await shows(page, 'Find things out.');
  });

  it('loads nothing from elsewhere and stays small', () => {
    const folder = join(bundle, '..', 'page');
    expect(existsSync(join(folder, 'main.js'))).toBe(true);
    const script = readFileSync(join(folder, 'main.js'));
    expect(gzipSync(script).length).toBeLessThan(150_000);
    for (const file of ['index.html', 'main.css'])
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/https?:\/\//);
  });
});
