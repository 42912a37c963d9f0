import { describe, expect, it } from 'vitest';
import { openPrompts, resultText, structured, textOf } from '../../../test/prompts/open-prompts.ts';
import { isObject, type JsonObject } from '../../json.ts';

describe('methods and tools that edit prompts', () => {
  it("reject invalid names, missing content and prompts that are not the user's own", async () => {
    const { request, call } = openPrompts();
    const messages = [{ role: 'user', content: { type: 'text', text: 'x' } }];
    for (const name of ['', 'with space', '-b', 'ü', '../x', 'a:b', 'x'.repeat(201)])
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
      /cannot update research: it is defined in .*research\.md; edit that file instead/,
    );
    await expect(request('prompts/delete', { name: 'fix_bugs' })).rejects.toThrow(
      'cannot delete built-in prompt: fix_bugs',
    );
    await expect(request('prompts/delete', { name: 'nope' })).rejects.toThrow('Prompt not found: nope');
    await expect(request('prompts/create', { name: 'research', title: 'T', messages })).rejects.toThrow(
      'prompt already exists: research',
    );
    expect(resultText(await call('create_prompt', { name: 'x', title: 'X' }))).toBe(
      'Give the prompt as text or as messages.',
    );
    expect(resultText(await call('create_prompt', { name: 'x', title: 'X', text: 'x', messages }))).toContain(
      'not as both',
    );
    expect(resultText(await call('update_prompt', { name: 'code_review', title: 'X' }))).toBe(
      'cannot update built-in prompt: code_review (create a new prompt with a different name instead)',
    );
  });

  it('create, update, delete and restore a prompt, and list its history', async () => {
    const { request, call } = openPrompts();
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
      revision: '4',
      problems: [],
      example: 'One <x>',
    });
    expect(textOf(await request('prompts/get', { name: 'note', arguments: { x: 'y' } }))).toBe('One y');
    // The answers have the revision as text.
    expect(structured(await call('restore_prompt', { name: 'note', revision: '4' }))).toMatchObject({
      message: 'Restored prompt: note to revision 4',
    });
  });

  it('have annotations that match their effects', async () => {
    const { request } = openPrompts();
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
    // expand_prompt returns plain text.
    const unstructured = tools.filter(({ outputSchema }) => !isObject(outputSchema));
    expect(unstructured.map(({ name }) => name)).toEqual(['expand_prompt']);
  });
});

describe('create_prompt without arguments', () => {
  it('declares an argument for every placeholder of the text', async () => {
    const { call } = openPrompts({});
    await call('create_prompt', { name: 'hi', title: 'Hi', text: 'Hello {{who}}, {{who}} and {{whom}}' });
    expect(structured(await call('show_prompt', { name: 'hi' }))['arguments']).toEqual([
      { name: 'who', required: true },
      { name: 'whom', required: true },
    ]);
  });

  it('keeps the arguments that were given, even an empty list', async () => {
    const { call } = openPrompts({});
    await call('create_prompt', { name: 'raw', title: 'Raw', text: 'Write {{name}}', arguments: [] });
    expect(structured(await call('show_prompt', { name: 'raw' }))['arguments']).toEqual([]);
  });
});
