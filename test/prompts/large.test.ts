import { expect, it, onTestFinished } from 'vitest';
import { jsonl } from '../../src/contracts/jsonl.ts';
import { standard } from '../../src/contracts/standard.ts';
import { Server } from '../../src/engine/server.ts';
import type { JsonObject } from '../../src/json.ts';
import { createJsonl, createPrompts } from '../../src/prompts/prompts.ts';
import { connectMemory } from '../../src/transports/memory.ts';
import { plantTree } from '../tree.ts';
import { placesIn } from './open-prompts.ts';

const line = (name: string, text: string) =>
  `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: { type: 'text', text } }] })}\n`;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    line(`p${String(index).padStart(6, '0')}`, `Text ${index}`),
  ).join('');

function open(contract: typeof standard, files: Readonly<Record<string, string>>) {
  const home = plantTree(files);
  const feature = (contract === jsonl ? createJsonl : createPrompts)(placesIn(home));
  const server = new Server({ contract, features: [feature] });
  onTestFinished(() => server.close());
  return connectMemory(server);
}

async function page(client: ReturnType<typeof open>, cursor?: string) {
  const { prompts, nextCursor } = await client.request(
    'prompts/list',
    cursor === undefined ? {} : { cursor },
  );
  return {
    names: (prompts as { name: string }[]).map(({ name }) => name),
    nextCursor: nextCursor as string | undefined,
  };
}

it('lists twenty thousand prompts page by page, and finds any of them', async () => {
  const client = open(standard, { 'prompts/user.jsonl': numbered(20_000) });
  const first = await page(client);
  expect(first.names).toHaveLength(1000);
  const last = await page(client, '20000');
  expect(last.names).toContain('p019999');
  expect(last.nextCursor).toBeUndefined();
  const got = await client.request('prompts/get', { name: 'p017777' });
  expect(got['messages']).toMatchObject([{ content: { text: 'Text 17777' } }]);
  const found = await client.request('tools/call', { name: 'search_prompts', arguments: { query: '19998' } });
  expect((found['structuredContent'] as JsonObject)['total']).toBe(1);
});

it('returns pages of a hundred prompts in the jsonl contract, and treats an invalid cursor as the start', async () => {
  const client = open(jsonl, { 'prompts/default.jsonl': '', 'prompts/user.jsonl': numbered(250) });
  expect(await page(client, '')).toMatchObject({ nextCursor: '100' });
  expect((await page(client, '200')).names).toHaveLength(50);
  expect((await page(client, '200')).nextCursor).toBe('');
  expect((await page(client, 'garbage')).names[0]).toBe('p000000');
  expect((await page(client, '9999')).names).toEqual([]);
});

it('stores and renders a prompt of ten megabytes', async () => {
  const client = open(standard, {});
  const text = `${'x'.repeat(10_000_000)}{{end}}`;
  await client.request('prompts/create', {
    name: 'long',
    title: 'Long',
    messages: [{ role: 'user', content: { type: 'text', text } }],
  });
  const got = await client.request('prompts/get', { name: 'long', arguments: { end: 'END' } });
  const [message] = got['messages'] as { content: { text: string } }[];
  expect(message!.content.text.length).toBe(10_000_003);
});
