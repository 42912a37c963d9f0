import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import { defineTool, type Feature } from '../feature.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

const feature: Feature = {
  name: 'sums',
  tools: [
    defineTool({
      name: 'add',
      description: 'Adds.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
        required: ['a'],
      },
      call({ a, b }) {
        if (a === 13) throw new Failure('refused', 'Not that one.');
        if (a === 17) throw new Error('the secret is 42');
        return { structured: { sum: a + (b ?? 0) } };
      },
    }),
  ],
};

const client = () => connectMemory(new Server({ contract: standard, features: [feature] }));

it('answers a tool call without a name as a wrong request, not as a failed tool', async () => {
  await expect(client().request('tools/call', { arguments: {} })).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ path: ['name'], keyword: 'required' }] },
  });
});

it('answers an unknown tool as a wrong request', async () => {
  await expect(client().request('tools/call', { name: 'subtract' })).rejects.toMatchObject({ code: -32602 });
});

it('lets the model read what is wrong with its arguments', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 'one' } });
  expect(result['isError']).toBe(true);
  expect(JSON.stringify(result['content'])).toContain('a must be number');
});

it('says what a value is for instead of quoting a pattern, where the schema tells', async () => {
  const dial = defineTool({
    name: 'dial',
    description: 'Dials.',
    inputSchema: {
      type: 'object',
      properties: {
        number: { type: 'string', pattern: '^\\+[0-9]+$', description: 'Phone number, like +4930123456' },
        others: { type: 'array', items: { type: 'string', pattern: '^[0-9]+$' } },
      },
    },
    call: () => ({ structured: {} }),
  });
  const phone = connectMemory(
    new Server({ contract: standard, features: [{ name: 'phone', tools: [dial] }] }),
  );
  const said = async (args: object) =>
    JSON.stringify(
      (await phone.request('tools/call', { name: 'dial', arguments: { ...args } as never }))['content'],
    );
  expect(await said({ number: 'home' })).toContain('number is not valid (Phone number, like +4930123456)');
  expect(await said({ others: ['x'] })).toContain('others.0 must match pattern');
});

it('lets the model read why a tool refused', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 13 } });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'Not that one.' }],
    isError: true,
    _meta: { 'adjutant/failure': { kind: 'refused' } },
  });
});

it('says nothing of what a bug of ours threw', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 17 } });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'Internal error' }],
    isError: true,
    _meta: { 'adjutant/failure': { kind: 'internal' } },
  });
});

it('fills in defaults before the tool sees its arguments', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 2 } });
  expect(result['structuredContent']).toEqual({ sum: 3 });
});

it('completes to nothing where a prompt is known and its feature has no suggestions', async () => {
  const mute: Feature = {
    name: 'mute',
    prompts: { list: () => [{ name: 'greet', arguments: [] }], get: () => ({ messages: [] }) },
  };
  const eager: Feature = {
    name: 'eager',
    prompts: {
      list: () => [],
      get: () => {
        throw new Failure('prompt-not-found', 'none here');
      },
      complete: (name) => (name === 'other' ? ['one'] : undefined),
    },
  };
  const both = connectMemory(new Server({ contract: standard, features: [mute, eager] }));
  const complete = (name: string) =>
    both.request('completion/complete', {
      ref: { type: 'ref/prompt', name },
      argument: { name: 'x', value: '' },
    });
  expect(await complete('greet')).toMatchObject({ completion: { values: [], total: 0 } });
  expect(await complete('other')).toMatchObject({ completion: { values: ['one'] } });
  await expect(complete('unknown')).rejects.toMatchObject({ code: -32602 });
});
