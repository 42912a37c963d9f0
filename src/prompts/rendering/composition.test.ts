import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, openPrompts, record, structured, textOf } from '../../../test/prompts/open-prompts.ts';
import { plantTree, write } from '../../../test/tree.ts';
import { twig } from '../../contracts/twig.ts';
import { Server } from '../../engine/server.ts';
import type { JsonObject } from '../../json.ts';
import { connectMemory } from '../../transports/memory.ts';
import { createTwig } from '../prompts.ts';

const jinja = 'template: jinja\n';
const manifest = (...prompts: readonly string[]) =>
  prompts.map((name) => `[prompts.${name}]\ndescription = "d"\n`).join('');
const files = {
  'libraries/base/twig.toml': `${manifest('tone', 'deep')}[prompts.sign]
description = "Signs"
arguments = [{ name = "who", required = true }, { name = "how", default = "kindly" }, { name = "where" }]
`,
  'libraries/base/prompts/tone.md': 'Be brief.',
  'libraries/base/prompts/sign.md': 'Signed {{ how }} by {{ who }}{{ where }}.',
  'libraries/base/prompts/deep.md': 'Deep: {% include "./parts/a.md" %}',
  'libraries/base/prompts/parts/a.md': 'a{% include "parts/b.md" %}{% include "../tone.md" %}',
  'libraries/base/prompts/parts/b.md': 'b ',
  'libraries/mail/twig.toml': `${manifest('open')}[prompts.reply]
description = "Replies"
arguments = [{ name = "who", required = true }]
`,
  // A file of the same name as in the other library must not be confused with it.
  'libraries/mail/prompts/parts/b.md': 'WRONG',
  'libraries/mail/prompts/open.md': '{% include "base:deep" %}',
  'libraries/mail/prompts/reply.md': 'Reply. {% include "base:tone" %} {% include "base:sign" %}',
  'commands/research.md': command('Research {{input}} {{ x }} {% raw %}'),
  'prompts/user.jsonl': record('greet', 'Hello {{who}} {{unknown}}!', {
    arguments: [{ name: 'who', required: true }],
  }),
};

function open(more: Readonly<Record<string, string>> = {}) {
  const server = openPrompts({ ...files, ...more });
  const get = async (name: string, args: JsonObject = {}) =>
    textOf(await server.request('prompts/get', { name, arguments: args }));
  const show = async (name: string) => structured(await server.call('show_prompt', { name }));
  const lint = async (...names: readonly string[]) =>
    (structured(await server.call('lint_prompts', { names: [...names] }))['problems'] as JsonObject[]).map(
      ({ message }) => message,
    );
  return { ...server, get, show, lint };
}

describe('a template', () => {
  it('includes prompts of another library, with their defaults', async () => {
    const { get, lint } = open();
    expect(await get('mail:reply', { who: 'Ann' })).toBe('Reply. Be brief. Signed kindly by Ann.');
    expect(await lint('mail:reply', 'mail:open')).toEqual([]);
  });

  it('includes a prompt together with the files of its library', async () => {
    expect(await open().get('mail:open')).toBe('Deep: ab Be brief.');
  });

  it('uses prompts of every source, with values for their arguments', async () => {
    const { get } = open({
      'commands/all.md': command(
        `{{ prompt("greet", who="Bob") }} {{- prompt('research', input=topic) }} {{ prompt("base:sign", who=topic, how="well") }}`,
        `${jinja}arguments: [{ name: topic }]\n`,
      ),
    });
    expect(await get('all', { topic: '{{ 1 + 1 }}' })).toBe(
      'Hello Bob {{unknown}}!Research {{ 1 + 1 }} {{ x }} {% raw %} Signed well by {{ 1 + 1 }}.',
    );
  });

  it('keeps references in comments, raw blocks and text', async () => {
    const { get, show } = open({
      'commands/plain.md': command(
        '{# prompt("greet") #}{% raw %}{{ prompt("greet") }}{% endraw %} prompt("greet")',
        jinja,
      ),
    });
    expect(await get('plain')).toBe('{{ prompt("greet") }} prompt("greet")');
    expect(await show('plain')).not.toHaveProperty('uses');
  });

  it('calls its own macro if that is named prompt', async () => {
    const { get } = open({
      'commands/own.md': command('{% macro prompt(x) %}<{{ x }}>{% endmacro %}{{ prompt("greet") }}', jinja),
    });
    expect(await get('own')).toBe('<greet>');
  });
});

describe('an error', () => {
  it.each([
    ['a prompt that does not exist', '{{ prompt("gone") }}', 'prompt not found: gone'],
    ['an argument that is not declared', '{% include "base:sign" %}', "undefined variable 'who'"],
    ['a prompt that uses itself', '{{ prompt("p") }}', 'the prompt p includes itself'],
    ['a longer cycle', '{{ prompt("one") }}', 'includes itself'],
    ['a path out of a library', '{{ prompt("base:out") }}', 'template not found'],
    ['a command with a file', '{{ prompt("filed") }}', 'template not found'],
    ['a call in an expression', '{{ prompt("base:tone")|upper }}', 'unknown function: prompt'],
    ['a call with a computed name', '{{ prompt(x) }}', 'unknown function: prompt'],
  ])('names %s', async (_, text, message) => {
    const { request, lint } = open({
      'commands/p.md': command(text, `${jinja}arguments: [{ name: x }]\n`),
      'commands/one.md': command('{{ prompt("two") }}', jinja),
      'commands/two.md': command('{{ prompt("one") }}', jinja),
      'commands/filed.md': command('{% include "parts/b.md" %}', jinja),
      'libraries/base/twig.toml': `${files['libraries/base/twig.toml']}${manifest('out')}`,
      'libraries/base/prompts/out.md': '{% include "../../../mail/prompts/parts/b.md" %}',
    });
    await expect(request('prompts/get', { name: 'p' })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
    expect((await lint('p')).length).toBeGreaterThan(0);
  });

  it('of a deep chain of prompts is a limit, not a crash', async () => {
    const chain = Array.from({ length: 300 }, (_, index) => [
      `commands/c${index}.md`,
      command(`{{ prompt("c${index + 1}") }}${'{{ prompt("base:tone") }}'.repeat(20)}`, jinja),
    ]);
    const { request } = open(Object.fromEntries(chain));
    await expect(request('prompts/get', { name: 'c0' })).rejects.toMatchObject({
      message: expect.stringContaining('Error rendering prompt template'),
    });
  });
});

describe('a used prompt', () => {
  it('is shown, and its change is a change of the prompts that use it', async () => {
    const { home, show, get, request, server } = open({
      'commands/outer.md': command('{{ prompt("mail:reply", who="x") }}', jinja),
    });
    expect(await show('mail:reply')).toMatchObject({ uses: ['base:tone', 'base:sign'] });
    const list = (await request('prompts/list'))['prompts'] as JsonObject[];
    expect(list.find(({ name }) => name === 'outer')).toMatchObject({
      _meta: { 'adjutant/uses': ['mail:reply'] },
    });
    const before = (await show('outer'))['revision'];
    let changes = 0;
    for (const feature of server.features) feature.subscribe?.(() => changes++);
    await request('prompts/list');
    write(home, { 'libraries/base/prompts/tone.md': 'Be long.' });
    await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await show('outer'))['revision']).not.toBe(before);
    expect(await get('outer')).toContain('Be long.');
    rmSync(join(home, 'libraries', 'base'), { recursive: true });
    await expect(get('outer')).rejects.toThrow('prompt not found: base:');
  });

  it('is kept in a labelled revision', async () => {
    const { home, call, get } = open();
    await call('label_prompt', { name: 'mail:reply', label: 'production' });
    write(home, { 'libraries/base/prompts/tone.md': 'Be long.' });
    expect(await get('mail:reply@production', { who: 'Ann' })).toContain('Be brief.');
    expect(await get('mail:reply', { who: 'Ann' })).toContain('Be long.');
  });
});

it('the contract twig knows no prompts in templates', async () => {
  const home = plantTree(files);
  const feature = createTwig({
    twigDir: join(home, 'libraries'),
    commandsDir: '',
    jsonlDir: '',
    userHome: home,
  });
  const server = new Server({ contract: twig, features: [feature] });
  const client = connectMemory(server);
  await client.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'tester', version: '1' },
  });
  await expect(client.request('prompts/get', { name: 'mail:open', arguments: {} })).rejects.toMatchObject({
    data: { details: expect.stringContaining('tried to include non-existing template "base:deep"') },
  });
  await server.close();
});
