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

it('lets the model read why a tool refused', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 13 } });
  expect(result).toEqual({ content: [{ type: 'text', text: 'Not that one.' }], isError: true });
});

it('says nothing of what a bug of ours threw', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 17 } });
  expect(result).toEqual({ content: [{ type: 'text', text: 'Internal error' }], isError: true });
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
