import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  library,
  openPrompts,
  type PromptServer,
  record,
  resultText,
  textOf,
} from '../../../test/prompts/open-prompts.ts';
import { plantTree } from '../../../test/tree.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';

describe('prompt arguments', () => {
  const complete = async (prompts: PromptServer, name: string, argument: string, value: string) =>
    (
      (
        await prompts.request('completion/complete', {
          ref: { type: 'ref/prompt', name },
          argument: { name: argument, value },
        })
      )['completion'] as { values: string[] }
    ).values;

  it('are completed with declared values, then with recently used ones', async () => {
    const prompts = openPrompts();
    expect(await complete(prompts, 'code:review', 'language', 'p')).toEqual(['Python', 'php']);
    expect(await complete(prompts, 'code:review', 'language', '')).toEqual(['go', 'Python', 'php']);
    expect(await complete(prompts, 'greet', 'who', '')).toEqual([]);
    for (const who of ['Ann', 'Bob', 'two\nlines', 'x'.repeat(500)])
      await prompts.request('prompts/get', { name: 'greet', arguments: { who } });
    await prompts.call('expand_prompt', { command: 'greet', input: 'Anton' });
    expect(await complete(prompts, 'greet', 'who', '')).toEqual(['Anton', 'Bob', 'Ann']);
    expect(await complete(prompts, 'greet', 'who', 'an')).toEqual(['Anton', 'Ann']);
    await expect(complete(prompts, 'nope', 'who', '')).rejects.toMatchObject({ code: -32602 });
  });

  it("that take files are completed with paths under the client's roots", async () => {
    const workspace = plantTree({
      'src/main.ts': '',
      'src/map.ts': '',
      'src/deep/x.ts': '',
      '.git/x': '',
      'README.md': '',
    });
    let rootsRequests = 0;
    const prompts = openPrompts(
      {
        ...library,
        'prompts/user.jsonl': record('read', '{{file}}', {
          arguments: [{ name: 'file' }, { name: 'where', files: true }],
        }),
      },
      {
        onRequest: async () => {
          rootsRequests++;
          return { roots: [{ uri: pathToFileURL(workspace).href }, { uri: 'https://example.org' }] };
        },
      },
      { roots: {} },
    );
    expect(await complete(prompts, 'read', 'file', '')).toEqual(['README.md', 'src/']);
    expect(await complete(prompts, 'read', 'file', 'src/ma')).toEqual(['src/main.ts', 'src/map.ts']);
    expect(await complete(prompts, 'read', 'where', 'src/d')).toEqual(['src/deep/']);
    for (const value of ['../../', '/etc/', 'src/../../', 'nowhere/'])
      expect(await complete(prompts, 'read', 'file', value)).toEqual([]);
    expect(rootsRequests).toBe(1);
  });

  it('that are missing are requested from the user if the client supports it', async () => {
    const requests: JsonObject[] = [];
    let answer: JsonObject = { action: 'accept', content: { code: 'x = 1' } };
    const { request, call } = openPrompts(
      library,
      {
        onRequest: async (_, params) => {
          requests.push(params);
          return answer;
        },
      },
      { elicitation: {} },
    );
    expect(textOf(await request('prompts/get', { name: 'code:review' }))).toBe('Review some code: x = 1');
    expect(requests[0]!['requestedSchema']).toEqual({
      type: 'object',
      properties: { code: { type: 'string', title: 'code' } },
      required: ['code'],
    });
    expect(resultText(await call('expand_prompt', { command: 'code:review' }))).toBe(
      'Review some code: x = 1',
    );
    answer = { action: 'decline' };
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
    answer = { action: 'accept', content: {} };
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
  });

  it('are not requested with a form if the client supports only URLs', async () => {
    const { request } = openPrompts(library, {}, { elicitation: { url: {} } });
    await expect(request('prompts/get', { name: 'code:review' })).rejects.toMatchObject({ code: -32602 });
  });

  it('that are missing are requested in the result itself in the current protocol revision', async () => {
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
