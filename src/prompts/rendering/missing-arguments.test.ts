import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  library,
  type Opened,
  openPrompts,
  record,
  structured,
  textOf,
} from '../../../test/prompts/opened.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';

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
    const opened = openPrompts();
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
    const opened = openPrompts(
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
    for (const value of ['../../', '/etc/', 'src/../../', 'nowhere/'])
      expect(await complete(opened, 'read', 'file', value)).toEqual([]);
    expect(asked).toBe(1);
  });

  it('that are missing are asked for where the client can be asked', async () => {
    const asked: JsonObject[] = [];
    let answer: JsonObject = { action: 'accept', content: { code: 'x = 1' } };
    const { request, call } = openPrompts(
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
    const { request } = openPrompts(library, {}, { elicitation: { url: {} } });
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
  });

  it('that are missing are asked for by the result itself in the current revision', async () => {
    const { server } = openPrompts();
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
