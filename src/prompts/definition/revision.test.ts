import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { command, library, openPrompts, record, structured } from '../../../test/prompts/open-prompts.ts';
import { plantTree, until, write } from '../../../test/tree.ts';
import { jsonl } from '../../contracts/jsonl.ts';
import { twig } from '../../contracts/twig.ts';
import { Server } from '../../engine/server.ts';
import type { Feature } from '../../feature.ts';
import { connectMemory } from '../../transports/memory.ts';
import { Catalog } from '../catalog/catalog.ts';
import { MountSource } from '../mounts/mount.ts';
import { createJsonl, createTwig } from '../prompts.ts';

const design = {
  'libraries/Code/twig.toml': '[prompts.review]\ndescription = "Reviews"\n',
  'libraries/Code/prompts/review.md': 'Review. {% include "parts/closing.md" %}',
  'libraries/Code/prompts/parts/closing.md': '{% import "parts/words.md" as w %}Be kind.',
  'libraries/Code/prompts/parts/words.md': '{% macro a() %}a{% endmacro %}',
  'libraries/any/twig.toml': '[prompts.one]\ndescription = "Any"\narguments = [{ name = "code" }]\n',
  'libraries/any/prompts/one.md': '{% include "parts/" ~ code ~ ".md" ignore missing %}',
  'libraries/any/prompts/parts/x.md': 'Chosen at run time.',
  'libraries/art/twig.toml':
    '[prompts.look]\ndescription = "Looks"\n[[prompts.look.messages]]\nattachment = "images/a.svg"\n',
  'libraries/art/images/a.svg': '<svg/>',
};

function openWithRevisions(files: Readonly<Record<string, string>> = { ...library, ...design }) {
  const notifications: string[] = [];
  const prompts = openPrompts(files, { onNotification: (method) => notifications.push(method) });
  const revisionOf = async (name: string) => {
    const shown = structured(await prompts.call('show_prompt', { name }))['revision'];
    const got = await prompts.request('prompts/get', {
      name,
      arguments: { input: 'x', who: 'x', code: 'x' },
    });
    expect(got['_meta']).toEqual({ 'adjutant/revision': shown });
    return shown as string;
  };
  return { ...prompts, notifications, revisionOf };
}

describe('the revision of a prompt that is defined in a file', () => {
  it.each([
    ['research', 'commands/research.md', command('Another {{input}}')],
    ['code:review', 'libraries/Code/prompts/review.md', 'Another'],
    ['code:review', 'libraries/Code/prompts/parts/closing.md', 'Be brief.'],
    ['code:review', 'libraries/Code/prompts/parts/words.md', 'other'],
    ['any:one', 'libraries/any/prompts/parts/x.md', 'Another'],
    ['any:one', 'libraries/any/prompts/parts/y.md', 'New'],
    ['art:look', 'libraries/art/images/a.svg', '<svg><g/></svg>'],
    ['code_review', 'prompts/default.jsonl', record('code_review', 'Another')],
  ])(
    'of %s changes with the content of %s, and stays the same if the file is rewritten unchanged',
    async (name, file, text) => {
      const { home, revisionOf } = openWithRevisions();
      const first = await revisionOf(name);
      expect(first).toMatch(/^[0-9a-f]{16}$/);
      const path = join(home, file);
      const before = existsSync(path) ? readFileSync(path) : undefined;
      if (before !== undefined) {
        writeFileSync(path, before);
        utimesSync(path, 1, 1);
      }
      expect(await revisionOf(name)).toBe(first);
      write(home, { [file]: text });
      const second = await revisionOf(name);
      expect(second).not.toBe(first);
      if (before === undefined) rmSync(path);
      else writeFileSync(path, before);
      expect(await revisionOf(name)).toBe(first);
    },
  );
});

describe('a mounted prompt', () => {
  it('uses a content digest as its revision, and text changes are reported', async () => {
    const home = plantTree({ 'mounted/tidy.md': 'Tidy up.' });
    const source = new MountSource({ format: 'claude-code', path: join(home, 'mounted') });
    const catalog = new Catalog([source], { reportsTextChanges: true });
    onTestFinished(() => catalog.close());
    let reports = 0;
    catalog.subscribe(() => reports++);
    const [entry] = await catalog.list();
    const revision = async () => catalog.revision(await catalog.find(entry!.definition.name));
    const first = await revision();
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    write(home, { 'mounted/tidy.md': 'Tidy up all.' });
    await until(() => reports > 0);
    expect(await revision()).not.toBe(first);
  });
});

describe('the revision of a prompt that is edited over MCP', () => {
  it('is a number that every edit increments and returns', async () => {
    const { call, revisionOf } = openWithRevisions();
    const made = structured(await call('create_prompt', { name: 'mine', title: 'Mine', text: 'One' }));
    expect(made['revision']).toBe('1');
    const edited = structured(await call('update_prompt', { name: 'mine', text: 'Two' }));
    expect(edited['revision']).toBe('2');
    expect(await revisionOf('mine')).toBe('2');
    await call('delete_prompt', { name: 'mine' });
    const restored = structured(await call('restore_prompt', { name: 'mine', revision: 1 }));
    expect(restored['revision']).toBe('4');
  });

  it('is a content digest if the current content is not in the history, and detects conflicts with other editors', async () => {
    const { home, call, revisionOf } = openWithRevisions();
    const first = await revisionOf('greet');
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    write(home, { 'prompts/user.jsonl': record('greet', 'By hand') });
    const second = await revisionOf('greet');
    expect(second).not.toBe(first);
    const stale = await call('update_prompt', { name: 'greet', text: 'Mine', expected_revision: first });
    expect(stale['_meta']).toMatchObject({ 'adjutant/failure': { data: { current_revision: second } } });
    const saved = await call('update_prompt', { name: 'greet', text: 'Mine', expected_revision: second });
    expect(structured(saved)['revision']).toBe('2');
    // An explicit null is the same as an absent field, so the revision does not change.
    const line = readFileSync(join(home, 'prompts/user.jsonl'), 'utf8');
    write(home, { 'prompts/user.jsonl': line.replace('{', '{"tags": null, ') });
    expect(await revisionOf('greet')).toBe('2');
    const again = await call('update_prompt', { name: 'greet', text: 'More', expected_revision: '2' });
    expect(again['isError']).toBeUndefined();
  });

  it('is a content digest if the history cannot be read', async () => {
    const { revisionOf } = openWithRevisions({ ...library, 'prompts/history.jsonl/x': '' });
    expect(await revisionOf('greet')).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('an edit that expects an outdated revision', () => {
  const edits = [
    ['update_prompt', { text: 'Lost' }],
    ['delete_prompt', {}],
    ['restore_prompt', { revision: 1 }],
  ] as const;

  it.each(edits)('is refused by %s with the current revision, and changes nothing', async (tool, fields) => {
    const { call, revisionOf } = openWithRevisions();
    await call('create_prompt', { name: 'mine', title: 'Mine', text: 'One' });
    await call('update_prompt', { name: 'mine', text: 'Two' });
    const refused = await call(tool, { name: 'mine', ...fields, expected_revision: '1' });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('its revision is 2, not 1') }],
      _meta: { 'adjutant/failure': { kind: 'conflict', data: { current_revision: '2' } } },
    });
    expect(await revisionOf('mine')).toBe('2');
    const made = await call(tool, { name: 'mine', ...fields, expected_revision: '2' });
    expect(made['isError']).toBeUndefined();
  });

  it('is refused by the methods prompts/update and prompts/delete', async () => {
    const { call, request } = openWithRevisions();
    await call('create_prompt', { name: 'mine', title: 'Mine', text: 'One' });
    for (const method of ['prompts/update', 'prompts/delete'])
      await expect(
        request(method, { name: 'mine', title: 'Lost', expected_revision: '7' }),
      ).rejects.toMatchObject({ code: -32602, data: { current_revision: '1' } });
    await request('prompts/update', { name: 'mine', title: 'Kept', expected_revision: '1' });
    await request('prompts/delete', { name: 'mine', expected_revision: '2' });
  });

  it('cannot restore a deleted prompt; the revision of the deletion is required', async () => {
    const { call } = openWithRevisions();
    await call('create_prompt', { name: 'mine', title: 'Mine', text: 'One' });
    await call('delete_prompt', { name: 'mine' });
    const restore = (expected_revision: string) =>
      call('restore_prompt', { name: 'mine', revision: 1, expected_revision });
    expect((await restore('1'))['isError']).toBe(true);
    expect(structured(await restore('2'))['revision']).toBe('3');
  });
});

describe('a change to the text only', () => {
  it.each([
    ['a command', 'commands/research.md', command('Another {{input}}')],
    ['a template', 'libraries/Code/prompts/review.md', 'Another'],
    ['an included file', 'libraries/Code/prompts/parts/closing.md', 'Be brief.'],
    ['a file chosen at run time', 'libraries/any/prompts/parts/x.md', 'Another'],
    ['an attachment', 'libraries/art/images/a.svg', '<svg><g/></svg>'],
    ['a prompt edited elsewhere', 'prompts/user.jsonl', record('greet', 'Hi {{who}}')],
  ])('sends clients one notification: %s', async (_, file, text) => {
    const { home, request, notifications } = openWithRevisions({
      ...library,
      ...design,
      'prompts/user.jsonl': record('greet', 'Hello {{who}}'),
    });
    await request('prompts/list');
    const path = join(home, file);
    // Rewriting the same bytes, or writing a file that no prompt uses, must not send a notification.
    writeFileSync(path, readFileSync(path));
    write(home, { 'libraries/Code/prompts/unused.md': 'x', 'commands/notes.txt': 'x' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(notifications).toEqual([]);
    write(home, { [file]: text });
    await until(() => notifications.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(notifications).toEqual(['notifications/prompts/list_changed']);
  });

  it('sends clients a notification if it is made over MCP', async () => {
    const { call, request, notifications } = openWithRevisions();
    await request('prompts/list');
    await call('create_prompt', { name: 'mine', title: 'Mine', text: 'One' });
    await until(() => notifications.length === 1);
    await call('update_prompt', { name: 'mine', text: 'Two' });
    await until(() => notifications.length === 2);
  });
});

describe('the drop-in contracts', () => {
  const files = { ...library, ...design };
  const connect = (contract: typeof jsonl, feature: Feature) => {
    const notifications: string[] = [];
    const server = new Server({ contract, features: [feature] });
    onTestFinished(() => server.close());
    const client = connectMemory(server, { onNotification: (method) => notifications.push(method) });
    return { client, notifications };
  };
  const folders = (home: string) => ({
    commandsDir: join(home, 'commands'),
    jsonlDir: join(home, 'prompts'),
    twigDir: join(home, 'libraries'),
    userHome: home,
  });
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } };

  it('have no revisions: jsonl ignores expected_revision', async () => {
    const home = plantTree(files);
    const { client } = connect(jsonl, createJsonl(folders(home)));
    await client.request('initialize', hello);
    const got = await client.request('prompts/get', { name: 'greet', arguments: { who: 'x' } });
    expect(got).not.toHaveProperty('_meta');
    const done = await client.request('prompts/update', {
      name: 'greet',
      title: 'New',
      expected_revision: 7,
    });
    expect(done).toEqual({ success: true, message: 'Updated prompt: greet' });
  });

  it('have no revisions: twig reports only changes to the list', async () => {
    const home = plantTree(files);
    const { client, notifications } = connect(twig, createTwig(folders(home)));
    await client.request('initialize', hello);
    await client.request('prompts/list');
    const got = await client.request('prompts/get', { name: 'code:review' });
    expect(got).not.toHaveProperty('_meta');
    write(home, { 'libraries/Code/prompts/review.md': 'Another' });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(notifications).toEqual([]);
    write(home, { 'libraries/Code/twig.toml': '[prompts.review]\ndescription = "Another"\n' });
    await until(() => notifications.length === 1);
  });
});
