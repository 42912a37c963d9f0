import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plantTree, until, write } from '../../test/tree.ts';
import { standard } from '../contracts/standard.ts';
import { Server } from '../engine/server.ts';
import { isObject, type JsonObject } from '../json.ts';
import { connectMemory, type MemoryOptions } from '../transports/memory.ts';
import { createPrompts } from './prompts.ts';

const command = (body: string, fields = '') => `---\ndescription: From a command\n${fields}---\n${body}\n`;
const record = (name: string, text: string, more: object = {}) =>
  `${JSON.stringify({ name, title: `Title of ${name}`, messages: [{ role: 'user', content: { type: 'text', text } }], ...more })}\n`;

const library = {
  'commands/research.md': command('Research {{input}}'),
  'prompts/user.jsonl': record('greet', 'Hello {{who}}', {
    arguments: [{ name: 'who', required: true }],
    tags: ['social'],
  }),
  'libraries/Code/twig.toml':
    '[prompts.review]\ndescription = "Reviews"\narguments = [{ name = "code", required = true }, { name = "language", values = ["go", "Python", "php"] }]\n',
  'libraries/Code/prompts/review.md': 'Review {{ language or "some" }} code: {{ code }}',
};

interface Opened {
  readonly home: string;
  readonly server: Server;
  call(tool: string, args?: JsonObject): Promise<JsonObject>;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
}

function open(
  files: Readonly<Record<string, string>> = library,
  options: MemoryOptions = {},
  capabilities: JsonObject = {},
): Opened {
  const home = plantTree(files);
  const feature = createPrompts({
    commandsDir: join(home, 'commands'),
    jsonlDir: join(home, 'prompts'),
    twigDir: join(home, 'libraries'),
    userHome: home,
  });
  const server = new Server({ contract: standard, features: [feature] });
  onTestFinished(() => server.close());
  const client = connectMemory(server, options);
  const started = client.request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities,
    clientInfo: { name: 'tester', version: '1' },
  });
  const request = async (method: string, params?: JsonObject) => {
    await started;
    return client.request(method, params);
  };
  return {
    home,
    server,
    request,
    call: async (name, args = {}) => request('tools/call', { name, arguments: args }),
  };
}

const textOf = (result: JsonObject) =>
  (result['messages'] as { content: { text: string } }[])[0]!.content.text;
const namesOf = (result: JsonObject) => (result['prompts'] as { name: string }[]).map(({ name }) => name);
const structured = (result: JsonObject) => result['structuredContent'] as JsonObject;
const saysOf = (result: JsonObject) => (result['content'] as { text: string }[])[0]!.text;

describe('the catalogue', () => {
  it('lists the prompts of every source with all that is known of them', async () => {
    const { request } = open();
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
      arguments: [{ name: 'who', required: true }],
      inputSchema: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      _meta: { 'adjutant/source': 'user', 'adjutant/tags': ['social'] },
    });
  });

  it('renders a prompt of each source', async () => {
    const { request } = open();
    const get = async (name: string, args: JsonObject) =>
      textOf(await request('prompts/get', { name, arguments: args }));
    expect(await get('greet', { who: 'Ann' })).toBe('Hello Ann');
    expect(await get('research', { input: 'owls' })).toBe('Research owls');
    expect(await get('code:review', { code: 'x' })).toBe('Review some code: x');
    expect(await get('explain_code', { code: 'x' })).toContain('\n\nx');
  });

  it('tells the file and the line of a template that fails', async () => {
    const { request, home } = open({
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

  it('gives a name to the earlier source and reports the clash', async () => {
    const { request, server } = open({
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
      'the prompt greet is hidden by the one in user.jsonl',
      'the prompt code_review is hidden by the one in code_review.md',
    ]);
  });

  it('is not hidden by a source that cannot be read', async () => {
    const { 'commands/research.md': _, ...others } = library;
    const { request, server } = open({ ...others, commands: 'a file' });
    expect(textOf(await request('prompts/get', { name: 'code:review', arguments: { code: 'x' } }))).toContain(
      'x',
    );
    expect(namesOf(await request('prompts/list'))).toContain('greet');
    expect((await server.features[0]!.problems!()).map(({ message }) => message)[0]).toMatch(
      /commands folder cannot be read/,
    );
  });

  it('answers a name that is not there, and arguments that are wrong, as wrong parameters', async () => {
    const { request } = open();
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

describe('methods and tools that change prompts', () => {
  it('refuse what is not in the documented alphabet, lacks a part, or is not of this person', async () => {
    const { request, call } = open();
    const messages = [{ role: 'user', content: { type: 'text', text: 'x' } }];
    for (const name of ['', 'with space', 'a-b', 'ü', '../x', 'a:b', 'x'.repeat(201)])
      await expect(request('prompts/create', { name, title: 'T', messages })).rejects.toMatchObject({
        code: -32602,
      });
    await expect(request('prompts/create', { name: 'x', title: 'T', messages: [] })).rejects.toMatchObject({
      code: -32602,
    });
    await expect(
      request('prompts/create', {
        name: 'x',
        title: 'T',
        messages: [{ role: 'system', content: { type: 'text', text: 'x' } }],
      }),
    ).rejects.toMatchObject({ code: -32602 });
    await expect(request('prompts/update', { name: 'research', title: 'T' })).rejects.toThrow(
      /cannot update research: it is the file .*research\.md; change it there/,
    );
    await expect(request('prompts/delete', { name: 'fix_bugs' })).rejects.toThrow(
      'cannot delete built-in prompt: fix_bugs',
    );
    await expect(request('prompts/delete', { name: 'nope' })).rejects.toThrow('Prompt not found: nope');
    await expect(request('prompts/create', { name: 'research', title: 'T', messages })).rejects.toThrow(
      'prompt already exists: research',
    );
    expect(saysOf(await call('create_prompt', { name: 'x', title: 'X' }))).toBe(
      'Give the prompt as text or as messages.',
    );
    expect(saysOf(await call('create_prompt', { name: 'x', title: 'X', text: 'x', messages }))).toContain(
      'not as both',
    );
    expect(saysOf(await call('update_prompt', { name: 'code_review', title: 'X' }))).toBe(
      'cannot update built-in prompt: code_review (create a new prompt with a different name instead)',
    );
  });

  it('create, change, tell the history of, delete and restore a prompt', async () => {
    const { request, call } = open();
    await call('create_prompt', {
      name: 'note',
      title: 'Note',
      text: 'One {{x}}',
      arguments: [{ name: 'x' }],
      tags: ['t'],
    });
    await request('prompts/update', {
      name: 'note',
      messages: [{ role: 'user', content: { type: 'text', text: 'Two' } }],
      tags: null,
    });
    expect(textOf(await request('prompts/get', { name: 'note' }))).toBe('Two');
    await call('delete_prompt', { name: 'note' });
    const { revisions } = structured(await call('prompt_history', { name: 'note' })) as {
      revisions: JsonObject[];
    };
    expect(
      revisions.map(({ revision, action, client }) => [revision, action, (client as JsonObject)['name']]),
    ).toEqual([
      [1, 'create', 'tester'],
      [2, 'update', 'tester'],
      [3, 'delete', 'tester'],
    ]);
    expect(structured(await call('restore_prompt', { name: 'note', revision: 1 }))).toEqual({
      success: true,
      message: 'Restored prompt: note to revision 1',
    });
    expect(textOf(await request('prompts/get', { name: 'note', arguments: { x: 'y' } }))).toBe('One y');
  });

  it('say honestly what they do', async () => {
    const { request } = open();
    const tools = (await request('tools/list'))['tools'] as {
      name: string;
      annotations: JsonObject;
      outputSchema: JsonObject;
    }[];
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    for (const name of ['list_prompts', 'expand_prompt', 'search_prompts', 'prompt_history'])
      expect(hints[name]).toMatchObject({ readOnlyHint: true });
    for (const name of ['update_prompt', 'delete_prompt', 'restore_prompt'])
      expect(hints[name]).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(hints['create_prompt']).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(tools.every(({ outputSchema }) => isObject(outputSchema))).toBe(true);
  });
});

describe('clients without prompts', () => {
  it('list every prompt, page by page and by tag or source', async () => {
    const many = Array.from({ length: 450 }, (_, index) =>
      record(`p${String(index).padStart(3, '0')}`, 'x', { tags: index === 7 ? ['seven'] : [] }),
    );
    const { call } = open({ 'prompts/user.jsonl': many.join('') });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = structured(await call('list_prompts', cursor === undefined ? {} : { cursor }));
      names.push(...namesOf(page));
      cursor = page['next_cursor'] as string | undefined;
      expect(page['total']).toBe(457);
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(457);
    expect(namesOf(structured(await call('list_prompts', { tag: 'seven' })))).toEqual(['p007']);
    expect(namesOf(structured(await call('list_prompts', { source: 'built-in' })))).toHaveLength(7);
  });

  it('expand every prompt, with named arguments or with free text', async () => {
    const { call } = open({
      ...library,
      'prompts/user.jsonl':
        record('two', '{{a}}|{{b}}', {
          arguments: [
            { name: 'a', required: true },
            { name: 'b', required: true },
          ],
        }) +
        record('fixed', 'Nothing to fill in') +
        record('optional', 'Say {{x}}', { arguments: [{ name: 'x' }] }),
    });
    const expand = async (command: string, args: JsonObject = {}) =>
      structured(await call('expand_prompt', { command, ...args }))['prompt'];
    expect(await expand('research', { input: '"owls" and mice' })).toBe('Research "owls" and mice');
    expect(await expand(':code:review', { input: 'a b', arguments: { language: 'go' } })).toBe(
      'Review go code: a b',
    );
    expect(await expand('two', { input: '"first one" the rest of it' })).toBe('first one|the rest of it');
    expect(await expand('two', { input: 'b', arguments: { a: '1' } })).toBe('1|b');
    expect(await expand('optional', { input: 'several words' })).toBe('Say several words');
    expect(await expand('fixed', { input: 'more' })).toBe('Nothing to fill in\n\nmore');
    expect(await expand('fixed')).toBe('Nothing to fill in');
    expect(saysOf(await call('expand_prompt', { command: 'reserch' }))).toBe(
      'Prompt not found: reserch; did you mean research?',
    );
    expect(saysOf(await call('expand_prompt', { command: 'two', input: 'one' }))).toBe(
      'Missing required argument: b',
    );
  });

  it('get several messages as one text and pictures as pictures', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Look' } },
      { role: 'assistant', content: { type: 'text', text: 'I see' } },
      { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
    ];
    const { call, request } = open({ 'prompts/user.jsonl': record('talk', '', { messages }) });
    const result = await call('expand_prompt', { command: 'talk' });
    expect(structured(result)['prompt']).toBe('[user]\nLook\n\n[assistant]\nI see\n\n[user]\n[image]');
    expect((result['content'] as JsonObject[])[1]).toEqual(messages[2]!.content);
    expect((await request('prompts/get', { name: 'talk' }))['messages']).toEqual(messages);
  });

  it('find prompts by any of their parts, best match first', async () => {
    const { call } = open({
      'prompts/user.jsonl':
        record('owl', 'about birds') +
        record('bird_watching', 'x', { description: 'How to watch an owl' }) +
        record('zoo', 'first line\nhere lives an owl and more', {}) +
        record('tagged', 'x', { tags: ['owl'] }) +
        record('bowling', 'x'),
    });
    const search = async (args: JsonObject) =>
      structured(await call('search_prompts', args)) as { matches: JsonObject[]; total: number };
    const found = await search({ query: 'OWL' });
    expect(found.matches.map(({ name }) => name)).toEqual([
      'owl',
      'bowling',
      'tagged',
      'bird_watching',
      'zoo',
    ]);
    expect(found.matches.at(-1)!['excerpt']).toBe('here lives an owl and more');
    expect((await search({ query: 'owl watch' })).matches.map(({ name }) => name)).toEqual(['bird_watching']);
    expect(await search({ query: 'owl', limit: 1 })).toMatchObject({ total: 5, matches: [{ name: 'owl' }] });
    expect((await search({ query: 'nothing like it' })).matches).toEqual([]);
  });
});

describe('arguments', () => {
  const complete = async (opened: Opened, name: string, argument: string, value: string) =>
    (
      (
        await opened.request('completion/complete', {
          ref: { type: 'ref/prompt', name },
          argument: { name: argument, value },
        })
      )['completion'] as { values: string[] }
    ).values;

  it('are completed with declared values, then with those used lately', async () => {
    const opened = open();
    expect(await complete(opened, 'code:review', 'language', 'p')).toEqual(['Python', 'php']);
    expect(await complete(opened, 'code:review', 'language', '')).toEqual(['go', 'Python', 'php']);
    expect(await complete(opened, 'greet', 'who', '')).toEqual([]);
    for (const who of ['Ann', 'Bob', 'two\nlines', 'x'.repeat(500)])
      await opened.request('prompts/get', { name: 'greet', arguments: { who } });
    await opened.call('expand_prompt', { command: 'greet', input: 'Anton' });
    expect(await complete(opened, 'greet', 'who', '')).toEqual(['Anton', 'Bob', 'Ann']);
    expect(await complete(opened, 'greet', 'who', 'an')).toEqual(['Anton', 'Ann']);
    await expect(complete(opened, 'nope', 'who', '')).rejects.toMatchObject({ code: -32602 });
  });

  it('that are files are completed with paths under the roots of the client', async () => {
    const workspace = plantTree({
      'src/main.ts': '',
      'src/map.ts': '',
      'src/deep/x.ts': '',
      '.git/x': '',
      'README.md': '',
    });
    let asked = 0;
    const opened = open(
      {
        ...library,
        'prompts/user.jsonl': record('read', '{{file}}', {
          arguments: [{ name: 'file' }, { name: 'where', files: true }],
        }),
      },
      {
        onRequest: async () => {
          asked++;
          return { roots: [{ uri: pathToFileURL(workspace).href }, { uri: 'https://example.org' }] };
        },
      },
      { roots: {} },
    );
    expect(await complete(opened, 'read', 'file', '')).toEqual(['README.md', 'src/']);
    expect(await complete(opened, 'read', 'file', 'src/ma')).toEqual(['src/main.ts', 'src/map.ts']);
    expect(await complete(opened, 'read', 'where', 'src/d')).toEqual(['src/deep/']);
    for (const value of ['../', '/etc/', 'src/../../', 'nowhere/'])
      expect(await complete(opened, 'read', 'file', value)).toEqual([]);
    expect(asked).toBe(1);
  });

  it('that are missing are asked for where the client can be asked', async () => {
    const asked: JsonObject[] = [];
    let answer: JsonObject = { action: 'accept', content: { code: 'x = 1' } };
    const { request, call } = open(
      library,
      {
        onRequest: async (_, params) => {
          asked.push(params);
          return answer;
        },
      },
      { elicitation: {} },
    );
    expect(textOf(await request('prompts/get', { name: 'code:review' }))).toBe('Review some code: x = 1');
    expect(asked[0]!['requestedSchema']).toEqual({
      type: 'object',
      properties: { code: { type: 'string', title: 'code' } },
      required: ['code'],
    });
    expect(structured(await call('expand_prompt', { command: 'code:review' }))['prompt']).toBe(
      'Review some code: x = 1',
    );
    answer = { action: 'decline' };
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
    answer = { action: 'accept', content: {} };
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
  });

  it('are not asked for by a form where the client only opens addresses', async () => {
    const { request } = open(library, {}, { elicitation: { url: {} } });
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
  });

  it('that are missing are asked for by the result itself in the current revision', async () => {
    const { server } = open();
    const client = connectMemory(server);
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'modern', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    };
    const first = await client.request('prompts/get', { name: 'greet', _meta });
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { arguments: { method: 'elicitation/create' } },
    });
    const second = await client.request('prompts/get', {
      name: 'greet',
      _meta,
      requestState: first['requestState']!,
      inputResponses: { arguments: { action: 'accept', content: { who: 'Ann' } } },
    });
    expect(textOf(second)).toBe('Hello Ann');
  });
});

describe('a change on disk', () => {
  const watching = (files: Readonly<Record<string, string>> = library) => {
    const told: string[] = [];
    const opened = open(files, { onNotification: (method) => told.push(method) });
    return { ...opened, told };
  };
  const changed = 'notifications/prompts/list_changed';

  it('is told once for a burst, and only when the list is another one', async () => {
    const { home, request, told } = watching();
    await request('prompts/list');
    for (let index = 0; index < 50; index++)
      write(home, {
        [`commands/new${index}.md`]: command('x'),
        [`libraries/Code/prompts/x${index}.md`]: 'x',
      });
    await until(() => told.length > 0);
    expect(namesOf(await request('prompts/list'))).toContain('new49');
    write(home, {
      'commands/research.md': command('Another body {{input}}'),
      'libraries/Code/README.md': 'x',
    });
    expect(textOf(await request('prompts/get', { name: 'research', arguments: { input: 'i' } }))).toBe(
      'Another body i',
    );
    write(home, { 'commands/last.md': command('x') });
    await until(() => told.length > 1);
    expect(told).toEqual([changed, changed]);
  });

  it('is told when it is made through us or beside us, when folders appear and when they go', async () => {
    const { home, request, call, told } = watching({});
    await request('prompts/list');
    const next = async (change: () => unknown) => {
      const before = told.length;
      await change();
      await until(() => told.length > before);
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
