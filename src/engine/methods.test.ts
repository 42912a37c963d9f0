import { expect, it } from 'vitest';
import { standard } from '../contracts/standard.ts';
import { Failure } from '../failure.ts';
import type { Feature } from '../feature.ts';
import { defineBareTool } from '../tool.ts';
import { connectMemory } from '../transports/memory.ts';
import { Server } from './server.ts';

const feature: Feature = {
  name: 'sums',
  tools: [
    defineBareTool({
      name: 'add',
      description: 'Adds.',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
        required: ['a'],
      },
      async call({ a, b }) {
        if (a === 13) throw new Failure('refused', 'Not that one.');
        if (a === 17) throw new Error('the secret is 42');
        return { structured: { sum: a + (b ?? 0) } };
      },
    }),
  ],
};

const client = () => connectMemory(new Server({ contract: standard, features: [feature] }));

it('answers a tool call without a name with a protocol error', async () => {
  await expect(client().request('tools/call', { arguments: {} })).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ path: ['name'], keyword: 'required' }] },
  });
});

it('answers a call of an unknown tool with a protocol error', async () => {
  await expect(client().request('tools/call', { name: 'subtract' })).rejects.toMatchObject({ code: -32602 });
});

it('returns invalid arguments as a tool result that the model can read', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 'one' } });
  expect(result['isError']).toBe(true);
  expect(JSON.stringify(result['content'])).toContain('a must be number');
});

it('explains an invalid value with its description instead of its pattern', async () => {
  const dial = defineBareTool({
    name: 'dial',
    description: 'Dials.',
    inputSchema: {
      type: 'object',
      properties: {
        number: { type: 'string', pattern: '^\\+[0-9]+$', description: 'Phone number, like +4930123456' },
        others: { type: 'array', items: { type: 'string', pattern: '^[0-9]+$' } },
        days: { type: 'array', items: { type: 'string', pattern: '^[a-z]{2}$' }, description: 'Like mo, tu' },
      },
    },
    call: async () => ({ structured: {} }),
  });
  const phone = connectMemory(
    new Server({ contract: standard, features: [{ name: 'phone', tools: [dial] }] }),
  );
  const callDial = async (args: object) =>
    JSON.stringify(
      (await phone.request('tools/call', { name: 'dial', arguments: { ...args } as never }))['content'],
    );
  expect(await callDial({ number: 'home' })).toContain(
    'number is not valid (Phone number, like +4930123456)',
  );
  expect(await callDial({ others: ['x'] })).toContain('others.0 must match pattern');
  expect(await callDial({ days: ['Monday'] })).toContain('days.0 is not valid (Like mo, tu)');
});

it('returns a refusal as a tool result that the model can read', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 13 } });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'Not that one.' }],
    isError: true,
    _meta: { 'adjutant/failure': { kind: 'refused', issues: [] } },
  });
});

it('does not send the message of an unexpected error', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 17 } });
  expect(result).toEqual({
    content: [{ type: 'text', text: 'Internal error' }],
    isError: true,
    _meta: { 'adjutant/failure': { kind: 'internal', issues: [] } },
  });
});

it('fills in default arguments before it calls the tool', async () => {
  const result = await client().request('tools/call', { name: 'add', arguments: { a: 2 } });
  expect(result['structuredContent']).toEqual({ sum: 3 });
});

it('returns no completions for a known prompt whose feature has no suggestions', async () => {
  const withoutCompletion: Feature = {
    name: 'without-completion',
    prompts: { list: async () => [{ name: 'greet', arguments: [] }], get: async () => ({ messages: [] }) },
  };
  const withCompletion: Feature = {
    name: 'with-completion',
    prompts: {
      list: async () => [],
      get: () => {
        throw new Failure('prompt-not-found', 'not found');
      },
      complete: async (name) => (name === 'other' ? ['one'] : undefined),
    },
  };
  const both = connectMemory(
    new Server({ contract: standard, features: [withoutCompletion, withCompletion] }),
  );
  const complete = (name: string) =>
    both.request('completion/complete', {
      ref: { type: 'ref/prompt', name },
      argument: { name: 'x', value: '' },
    });
  expect(await complete('greet')).toMatchObject({ completion: { values: [], total: 0 } });
  expect(await complete('other')).toMatchObject({ completion: { values: ['one'] } });
  await expect(complete('unknown')).rejects.toMatchObject({ code: -32602 });
});
