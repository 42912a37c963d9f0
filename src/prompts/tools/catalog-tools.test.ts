import { describe, expect, it } from 'vitest';
import {
  library,
  namesOf,
  openPrompts,
  record,
  resultText,
  structured,
} from '../../../test/prompts/open-prompts.ts';
import type { JsonObject } from '../../json.ts';

describe('clients that support only tools', () => {
  it('list all prompts in pages, filtered by tag or source', async () => {
    const many = Array.from({ length: 450 }, (_, index) =>
      record(`p${String(index).padStart(3, '0')}`, 'x', { tags: index === 7 ? ['seven'] : [] }),
    );
    const { call } = openPrompts({ 'prompts/user.jsonl': many.join('') });
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = structured(await call('list_prompts', cursor === undefined ? {} : { cursor }));
      names.push(...namesOf(page));
      expect(JSON.stringify(page).length).toBeLessThan(10_000);
      cursor = page['next_cursor'] as string | undefined;
      expect(page['total']).toBe(457);
    } while (cursor !== undefined);
    expect(new Set(names).size).toBe(457);
    expect(namesOf(structured(await call('list_prompts', { limit: 400 })))).toHaveLength(400);
    expect(namesOf(structured(await call('list_prompts', { tag: 'seven' })))).toEqual(['p007']);
    expect(namesOf(structured(await call('list_prompts', { source: 'built-in' })))).toHaveLength(7);
  });

  it('expand prompts with named arguments or free text', async () => {
    const { call } = openPrompts({
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
      resultText(await call('expand_prompt', { command, ...args }));
    expect(await expand('research', { input: '"owls" and mice' })).toBe('Research "owls" and mice');
    expect(await expand(':code:review', { input: 'a b', arguments: { language: 'go' } })).toBe(
      'Review go code: a b',
    );
    expect(await expand('two', { input: '"first one" the rest of it' })).toBe('first one|the rest of it');
    expect(await expand('two', { input: 'b', arguments: { a: '1' } })).toBe('1|b');
    expect(await expand('optional', { input: 'several words' })).toBe('Say several words');
    expect(await expand('fixed', { input: 'more' })).toBe('Nothing to fill in\n\nmore');
    expect(await expand('fixed')).toBe('Nothing to fill in');
    expect(resultText(await call('expand_prompt', { command: 'reserch' }))).toBe(
      'Prompt not found: reserch; did you mean research?',
    );
    expect(resultText(await call('expand_prompt', { command: 'two', input: 'one' }))).toBe(
      'Missing required argument: b',
    );
  });

  it('receive several messages as one text, and images as images', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Look' } },
      { role: 'assistant', content: { type: 'text', text: 'I see' } },
      { role: 'user', content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
    ];
    const { call, request } = openPrompts({ 'prompts/user.jsonl': record('talk', '', { messages }) });
    const result = await call('expand_prompt', { command: 'talk' });
    expect(result).not.toHaveProperty('structuredContent');
    expect(resultText(result)).toBe('[user]\nLook\n\n[assistant]\nI see\n\n[user]\n[image]');
    expect((result['content'] as JsonObject[])[1]).toEqual(messages[2]!.content);
    expect((await request('prompts/get', { name: 'talk' }))['messages']).toEqual(messages);
  });

  it('search all parts of prompts, with the best match first', async () => {
    const { call } = openPrompts({
      'prompts/user.jsonl':
        record('owl', 'about birds') +
        record('bird_watching', 'x', { description: 'How to watch an owl' }) +
        record('zoo', `first line\n${'Nothing lives here. '.repeat(40)}\nhere lives an owl and more`, {}) +
        record('tagged', 'x', { tags: ['owl'] }) +
        record('bowling', 'x'),
    });
    const search = async (args: JsonObject) =>
      structured(await call('search_prompts', args)) as { matches: JsonObject[]; total: number };
    const found = await search({ query: 'OWL' });
    expect(found.matches.map(({ name }) => name)).toEqual(['owl', 'tagged', 'bird_watching', 'zoo']);
    expect(found.matches.at(-1)!['excerpt']).toBe('here lives an owl and more');
    expect((await search({ query: 'owl watch' })).matches[0]).toMatchObject({ name: 'bird_watching' });
    expect(await search({ query: 'owl', limit: 1 })).toMatchObject({ total: 4, matches: [{ name: 'owl' }] });
    expect(await search({ query: 'owl', tag: 'owl' })).toMatchObject({
      total: 1,
      matches: [{ name: 'tagged' }],
    });
    expect((await search({ query: 'nothing like it' })).matches).toEqual([]);
  });
});
