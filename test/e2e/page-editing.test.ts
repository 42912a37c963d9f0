import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../page/browser.ts';
import { PageServer } from '../page/page-server.ts';

const server = new PageServer();
beforeAll(() => server.start());
afterEach(() => server.closeWindows());
afterAll(() => server.stop());

/** Uses every field that a prompt can have, including those that the editor does not show. */
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
  const file = join(server.home, 'prompts', 'user.jsonl');
  const saved = () => {
    const {
      created: _,
      updated: __,
      ...record
    } = JSON.parse(readFileSync(file, 'utf8').trim().split('\n').at(-1)!);
    return record as typeof rich;
  };
  const edit = async (record: object) => {
    mkdirSync(join(server.home, 'prompts'), { recursive: true });
    writeFileSync(file, `${JSON.stringify(record)}\n`);
    const page = await server.open(server.view('#/prompts/rich'));
    await page.getByLabel('Token or full address').fill(server.address);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await message(page, 2).waitFor();
    return page;
  };
  const message = (page: Page, number: number) => page.getByLabel(`Message ${number}`, { exact: true });
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  };

  it('keeps all fields and arguments that the editor does not show', async () => {
    const page = await edit(rich);
    await page.getByLabel('Description', { exact: true }).fill('Changed.');
    await message(page, 1).fill('Write all about {{topic}}.');
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
    await message(page, 1).fill('For {{reader}}: {{ title }} {{length}}.');
    await save(page);
    const [, ...kept] = rich.arguments;
    expect(saved().arguments).toEqual([...kept, { name: 'length', required: true }]);
  });

  it('restores all fields of an argument when the text uses it again', async () => {
    const page = await edit(rich);
    await message(page, 1).fill('Write.');
    await page.getByLabel('Description of reader').fill('The audience');
    await message(page, 1).fill('Write about {{topic}}!');
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
    await message(page, 2).fill('From {{report}} for {{reader}}.');
    await save(page);
    const [, , last] = rich.messages;
    const second = { role: 'user', content: { type: 'text', text: 'From {{report}} for {{reader}}.' } };
    expect(saved()).toEqual({ ...rich, title: 'Richer', messages: [image, second, last] });
  });

  it('edits, adds, moves and removes messages with their roles', async () => {
    const page = await edit(rich);
    await page.getByRole('button', { name: 'Add message' }).click();
    await message(page, 4).fill('And then {{more}}.');
    await page.getByLabel('Role of message 4').selectOption('assistant');
    await page.getByRole('button', { name: 'Move message 4 up' }).click();
    expect(await message(page, 3).inputValue()).toBe('And then {{more}}.');
    await page.getByRole('button', { name: 'Remove message 2' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await message(page, 4).waitFor();
    await page.getByRole('button', { name: 'Remove message 1' }).click();
    await page.reload();
    expect(await message(page, 2).inputValue()).toBe('And then {{more}}.');
    await save(page);
    const [, second, third] = rich.messages;
    expect(saved().messages).toEqual([
      second,
      { role: 'assistant', content: { type: 'text', text: 'And then {{more}}.' } },
      third,
    ]);
    expect(saved().arguments.map(({ name }) => name)).toEqual([
      'report',
      'reader',
      'spare',
      'last-words',
      'more',
    ]);
  });

  it('edits every field of an argument and removes an unused argument', async () => {
    const page = await edit(rich);
    await page.getByLabel('Default of reader').fill('Ada');
    await page.getByLabel('Suggested values of reader').fill('Ada, Bo,, Cy');
    await page.getByLabel('Default of topic').fill('');
    await page.getByLabel('Type of topic').selectOption('file');
    await page.getByRole('button', { name: 'Remove argument spare' }).click();
    expect(await page.getByRole('button', { name: 'Remove argument reader' }).count()).toBe(0);
    await save(page);
    expect(saved().arguments).toEqual([
      { name: 'topic', description: 'What about', values: ['tides', 'moon'], files: true },
      { name: 'report', files: true, default: 'notes.md' },
      {
        name: 'reader',
        description: 'Who reads it',
        required: true,
        default: 'Ada',
        values: ['Ada', 'Bo', 'Cy'],
      },
      { name: 'last-words', default: 'Bye.' },
    ]);
  });

  it('can be undone after saving, and brings back every field', async () => {
    const page = await edit(rich);
    await page.getByLabel('Title').fill('Poor');
    await message(page, 1).fill('Nothing.');
    await save(page);
    expect(saved().title).toBe('Poor');
    // The page reads the prompt again after it was saved. Until then, it still has the old title.
    await page.getByRole('heading', { name: 'Poor' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Rich' }).waitFor();
    expect(saved()).toEqual(rich);
  });
});
