import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import {
  command,
  library,
  namesOf,
  openPrompts,
  record,
  structured,
  textOf,
} from '../../test/prompts/open-prompts.ts';
import { plantTree, until, write } from '../../test/tree.ts';
import type { JsonObject } from '../json.ts';
import { Catalog } from './catalog/catalog.ts';
import { CommandSource } from './sources/commands.ts';

describe('the catalogue', () => {
  it('lists the prompts of every source with all their fields', async () => {
    const { request } = openPrompts();
    const result = await request('prompts/list');
    expect(namesOf(result)).toEqual([
      'code:review',
      'code_review',
      'document_function',
      'explain_code',
      'fix_bugs',
      'generate_tests',
      'greet',
      'refactor_extract',
      'research',
      'simplify_code',
    ]);
    expect((result['prompts'] as JsonObject[]).find(({ name }) => name === 'greet')).toEqual({
      name: 'greet',
      title: 'Title of greet',
      description: 'Hello {{who}}',
      arguments: [{ name: 'who', required: true }],
      inputSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      _meta: { 'adjutant/source': 'user', 'adjutant/tags': ['social'] },
    });
  });

  it('renders a prompt of each source', async () => {
    const { request } = openPrompts();
    const get = async (name: string, args: JsonObject) =>
      textOf(await request('prompts/get', { name, arguments: args }));
    expect(await get('greet', { who: 'Ann' })).toBe('Hello Ann');
    expect(await get('research', { input: 'owls' })).toBe('Research owls');
    expect(await get('code:review', { code: 'x' })).toBe('Review some code: x');
    expect(await get('explain_code', { code: 'x' })).toContain('\n\nx');
  });

  it('escapes commands for opencode, which would run them, and keeps its placeholders', async () => {
    const files = { 'commands/now.md': command('At !`date` and !$1$ARGUMENTS`id`: {{input}}, `!` !x') };
    const get = async (client: string, input: string) =>
      textOf(
        await openPrompts(files, {}, {}, client).request('prompts/get', {
          name: 'now',
          arguments: { input },
        }),
      );
    expect(await get('opencode', '$1')).toBe('At ! `date` and ! $1$ARGUMENTS`id`: $1, `! ` !x');
    expect(await get('tester', '$1')).toBe('At !`date` and !$1$ARGUMENTS`id`: $1, `!` !x');
  });

  it('reports the file and line of a template error', async () => {
    const { request, home } = openPrompts({
      ...library,
      'libraries/Code/prompts/review.md': '{{ code }}\n{% include "parts/end.md" %}',
      'libraries/Code/prompts/parts/end.md': 'a\n{{ nope() }}',
    });
    await expect(
      request('prompts/get', { name: 'code:review', arguments: { code: 'x' } }),
    ).rejects.toMatchObject({
      message:
        'Error rendering prompt template at line 2: unknown function: nope is unknown (in parts/end.md)',
      data: { file: join(home, 'libraries/Code/prompts/parts/end.md'), line: 2 },
    });
  });

  it('prefers the earlier source if two prompts have the same name, and reports the conflict', async () => {
    const { request, server } = openPrompts({
      ...library,
      'commands/greet.md': command('command'),
      'commands/code_review.md': command('my own review'),
    });
    expect(textOf(await request('prompts/get', { name: 'greet', arguments: { who: 'Ann' } }))).toBe(
      'Hello Ann',
    );
    expect(textOf(await request('prompts/get', { name: 'code_review', arguments: { input: '' } }))).toBe(
      'my own review\n\n',
    );
    const problems = await server.features[0]!.problems!();
    expect(problems.map(({ message }) => message.replace(/in .*\//, 'in '))).toEqual([
      'the prompt greet is hidden by the prompt of the same name in user.jsonl',
      'the prompt code_review is hidden by the prompt of the same name in code_review.md',
    ]);
  });

  it('serves other sources if one cannot be read', async () => {
    const { 'commands/research.md': _, ...others } = library;
    const { request, server } = openPrompts({ ...others, commands: 'a file' });
    expect(textOf(await request('prompts/get', { name: 'code:review', arguments: { code: 'x' } }))).toContain(
      'x',
    );
    expect(namesOf(await request('prompts/list'))).toContain('greet');
    expect((await server.features[0]!.problems!()).map(({ message }) => message)[0]).toMatch(
      /Could not read the commands folder/,
    );
  });

  it('rejects unknown names and invalid arguments as invalid parameters', async () => {
    const { request } = openPrompts();
    await expect(request('prompts/get', { name: 'nope' })).rejects.toMatchObject({
      code: -32602,
      message: 'Prompt not found: nope',
    });
    await expect(request('prompts/get', { name: 'greet' })).rejects.toMatchObject({
      code: -32602,
      message: 'Missing required argument: who',
    });
    await expect(request('prompts/get', { name: 'greet', arguments: { who: 7 } })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe('a change on disk', () => {
  const watching = (files: Readonly<Record<string, string>> = library) => {
    const notifications: string[] = [];
    const opened = openPrompts(files, { onNotification: (method) => notifications.push(method) });
    return { ...opened, notifications };
  };
  const changed = 'notifications/prompts/list_changed';

  it('does not ask the sources for names that are too long', async () => {
    const asked: number[] = [];
    const source = {
      name: 'recorder',
      list: async () => [],
      problems: async () => [],
      async get(name: string) {
        asked.push(name.length);
        return undefined;
      },
    };
    const catalog = new Catalog([source]);
    for (const length of [4_096, 4_097])
      await expect(catalog.find('a'.repeat(length))).rejects.toThrow('Prompt not found');
    expect(asked).toEqual([4_096]);
  });

  it('looks at a file once for requests that arrived together, and again for each later one', async () => {
    const folder = plantTree({ 'a.md': command('First') });
    const source = new CommandSource({ folder });
    let looks = 0;
    const known = source.known.bind(source);
    source.known = (name) => {
      looks += 1;
      return known(name);
    };
    const catalog = new Catalog([source]);
    const text = () => {
      const { content } = catalog.known('a')!.definition.messages[0]!;
      return content.type === 'text' ? content.text : '';
    };
    await vi.waitFor(async () => {
      await catalog.find('a');
      expect(catalog.known('a')).toBeDefined();
    });
    await Promise.resolve();
    looks = 0;
    expect([text(), text(), text()]).toEqual(['First', 'First', 'First']);
    expect(looks).toBe(1);
    await Promise.resolve();
    expect(text()).toBe('First');
    expect(looks).toBe(2);
    await Promise.resolve();
    write(folder, { 'a.md': command('Second, longer') });
    expect(catalog.known('a')).toBeUndefined();
  });

  it('reads the files for the first page of a list, and again for a later page only after a change', async () => {
    const folder = plantTree({ 'a.md': command('A'), 'b.md': command('B') });
    const catalog = new Catalog([new CommandSource({ folder })]);
    const names = async (continues?: boolean) =>
      (await catalog.list(continues)).map(({ definition }) => definition.name);
    expect(await names(true)).toEqual(['a', 'b']);
    expect(await names()).toEqual(['a', 'b']);
    write(folder, { 'c.md': command('C') });
    expect(await names(true)).toEqual(['a', 'b']);
    expect(await names()).toEqual(['a', 'b', 'c']);
    write(folder, { 'd.md': command('D') });
    // The watcher of a server calls this.
    catalog.checkForChanges();
    expect(await names(true)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sends one notification per burst, and none if no prompt changes', async () => {
    const { home, request, notifications } = watching();
    await request('prompts/list');
    for (let index = 0; index < 50; index++)
      write(home, {
        [`commands/new${index}.md`]: command('x'),
        [`libraries/Code/prompts/x${index}.md`]: 'x',
      });
    await until(() => notifications.length > 0);
    expect(namesOf(await request('prompts/list'))).toContain('new49');
    write(home, { 'libraries/Code/README.md': 'x' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(notifications).toEqual([changed]);
    write(home, { 'commands/research.md': command('Another body {{input}}') });
    expect(textOf(await request('prompts/get', { name: 'research', arguments: { input: 'i' } }))).toBe(
      'Another body i',
    );
    await until(() => notifications.length > 1);
    expect(notifications).toEqual([changed, changed]);
  });

  it('sends a notification for edits by tools and by hand, and for created and removed folders', async () => {
    const { home, request, call, notifications } = watching({});
    await request('prompts/list');
    const next = async (change: () => unknown) => {
      const before = notifications.length;
      await change();
      await until(() => notifications.length > before);
    };
    await next(() => call('create_prompt', { name: 'mine', title: 'Mine', text: 'x' }));
    await next(() => write(home, { 'prompts/user.jsonl': record('theirs', 'x') }));
    await next(() =>
      write(home, {
        'libraries/late/twig.toml': '[prompts.a]\ndescription = "A"\n',
        'libraries/late/prompts/a.md': 'a',
      }),
    );
    await next(() => write(home, { 'libraries/late/twig.toml': '[prompts.a]\ndescription = "B"\n' }));
    await next(() => write(home, { 'commands/late.md': command('x') }));
    await next(() => rmSync(join(home, 'libraries'), { recursive: true }));
    await next(() => rmSync(join(home, 'commands'), { recursive: true }));
    await next(() => write(home, { 'commands/again.md': command('x') }));
    expect(namesOf(await request('prompts/list'))).toEqual(expect.arrayContaining(['again', 'theirs']));
  });
});

it('does not serve a prompt whose name contains a line break or a direction override, and reports it', async () => {
  const { request, call } = openPrompts({
    'prompts/user.jsonl': record('two\nlines', 'x') + record('a\u202Eb', 'x') + record('good', 'x'),
    'commands/bell\u0007.md': command('x'),
  });
  const names = namesOf(await request('prompts/list'));
  expect(names).toContain('good');
  expect(names.filter((name) => /bell|two|\u202E/.test(name))).toEqual([]);
  await expect(request('prompts/get', { name: 'two\nlines' })).rejects.toThrow('Prompt not found');
  const { problems } = structured(await call('lint_prompts')) as { problems: { message: string }[] };
  const found = problems.map(({ message }) => message).filter((message) => message.includes('is not served'));
  expect(found.map((message) => /"(.*)"/.exec(message)![1]).sort()).toEqual([
    'a\\u202eb',
    'bell\\u0007',
    'two\\nlines',
  ]);
});
