import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { plantTree, write } from '../../../test/tree.ts';
import type { Failure } from '../../failure.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import { TwigSource } from './twig.ts';
import { normalizeLibraryName } from './twig-library.ts';

function open(folder: string): TwigSource {
  const source = new TwigSource({ folder });
  onTestFinished(() => source.close());
  return source;
}

async function names(source: TwigSource): Promise<readonly string[]> {
  return (await source.list()).map(({ name }) => name);
}

async function render(
  source: TwigSource,
  name: string,
  args: Record<string, unknown> = {},
): Promise<unknown> {
  const { messages } = await renderPrompt((await source.get(name))!, args, source);
  return messages.length === 1 && messages[0]!.content.type === 'text' ? messages[0]!.content.text : messages;
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: Failure) => error.message,
  );
}

const libraryWith = (body: string, more = '') => ({
  'lib/twig.toml': `[prompts.p]\ndescription = "P"\n${more}`,
  'lib/prompts/p.md': body,
});

describe('an invalid library', () => {
  it('does not hide other libraries', async () => {
    const root = plantTree({
      'bad-toml/twig.toml': '[prompts.a\n',
      'twice/twig.toml': '[prompts.a]\ndescription = "A"\n\n[prompts.a]\ndescription = "B"\n',
      'list/twig.toml': 'prompts = [1]\n',
      'latin1/twig.toml': Buffer.from('[prompts.a]\ndescription = "caf\xe9"\n', 'latin1'),
      'folder/twig.toml/x': '',
      'no-manifest/prompts/a.md': 'ignored',
      'good/twig.toml': '[prompts.a]\ndescription = "A"\n',
      'good/prompts/a.md': 'fine',
      'file.md': 'not a library',
    });
    const source = open(root);
    expect(await names(source)).toEqual(['good:a']);
    const problems = await source.problems();
    expect(
      problems.map(({ file, line, message }) => `${file.slice(root.length + 1)}:${line} ${message}`),
    ).toEqual([
      'bad-toml/twig.toml:1 Invalid TOML document: illegal character in key',
      'folder/twig.toml:1 this is not a file',
      'latin1/twig.toml:1 the file is not UTF-8 text',
      'list/twig.toml:1 prompts must be tables such as [prompts.name]',
      'twice/twig.toml:4 Invalid TOML document: trying to redefine an already defined table or value',
    ]);
  });

  it('serves its valid prompts', async () => {
    const root = plantTree({
      'lib/twig.toml': [
        '[prompts.good]',
        'description = "Good"',
        '[prompts.bad]',
        'description = 7',
        '[prompts."../escape"]',
        'description = "E"',
        '[prompts.silent]',
        '[prompts.arguments_without_name]',
        'description = "A"',
        'arguments = [{ description = "no name" }]',
      ].join('\n'),
      'lib/prompts/good.md': 'good',
      'lib/prompts/bad.md': 'bad',
      'lib/prompts/silent.md': 'silent',
      'escape.md': 'outside',
    });
    const source = open(root);
    expect(await names(source)).toEqual(['lib:good', 'lib:silent']);
    expect((await source.problems()).map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '5: ../escape: a name must not be empty, begin with a dot or contain / \\ or :',
      '8: arguments_without_name: argument 1 must have a name',
      '3: bad: description must be text',
      '7: silent: description is missing',
    ]);
  });

  it('is reported and skipped if an earlier folder has the same name', async () => {
    const root = plantTree({
      'My Lib/twig.toml': '[prompts.a]\ndescription = "first"\n',
      'My Lib/prompts/a.md': 'first',
      'my-lib/twig.toml': '[prompts.a]\ndescription = "second"\n[prompts.b]\ndescription = "second"\n',
      'my-lib/prompts/a.md': 'second',
      'my-lib/prompts/b.md': 'second',
    });
    const source = open(root);
    expect(await names(source)).toEqual(['my_lib:a']);
    expect(await render(source, 'my_lib:a')).toBe('first');
    expect(await source.get('my_lib:b')).toBeUndefined();
    expect((await source.problems())[0]!.message).toBe(
      `the library my_lib already exists in ${join(root, 'My Lib')}`,
    );
  });

  it('cannot link to files outside its folder', async () => {
    const root = plantTree({
      ...libraryWith('{% include "part.md" ignore missing %}|'),
      'secret.md': 'secret',
    });
    symlinkSync(join(root, 'secret.md'), join(root, 'lib/prompts/part.md'));
    const source = open(root);
    expect(await render(source, 'lib:p')).toBe('|');
    rmSync(join(root, 'lib/prompts/p.md'));
    symlinkSync(join(root, 'secret.md'), join(root, 'lib/prompts/p.md'));
    const fresh = open(root);
    expect(await names(fresh)).toEqual([]);
    expect((await fresh.problems())[0]!.message).toBe('the symbolic link points outside the folder');
    expect(await messageOf(fresh.get('lib:p'))).toContain('the symbolic link points outside the folder');
  });
});

describe('a prompt', () => {
  it('without its file is not listed, and a request for it reports the missing file', async () => {
    const root = plantTree({ 'lib/twig.toml': '[prompts.p]\ndescription = "P"\n' });
    const source = new TwigSource({ folder: root, userHome: root });
    expect(await names(source)).toEqual([]);
    expect(await messageOf(source.get('lib:p'))).toBe('Prompt content file not found: ~/lib/prompts/p.md');
    expect(await source.problems()).toHaveLength(1);
  });

  it('whose file is a folder is reported', async () => {
    const root = plantTree({ 'lib/twig.toml': '[prompts.p]\ndescription = "P"\n', 'lib/prompts/p.md/x': '' });
    expect(await messageOf(open(root).get('lib:p'))).toContain('this is not a file');
  });

  it('is found only by its exact name', async () => {
    const source = open(plantTree(libraryWith('text')));
    for (const name of ['lib', 'lib:', 'lib:p:', ':p', 'lib:../prompts/p', 'LIB:p', 'lib:P', 'lib/p', ''])
      expect(await source.get(name)).toBeUndefined();
  });

  it('is read without a byte order mark and with its line breaks unchanged', async () => {
    const root = plantTree(libraryWith('\uFEFFa\r\n{{ "b" }}\r\n\r\nc\r\n'));
    expect(await render(open(root), 'lib:p')).toBe('a\r\nb\r\n\r\nc');
  });

  it('of 10 MB is rendered, and one of more than 16 MB is rejected', async () => {
    const source = open(plantTree(libraryWith(`${'x'.repeat(10_000_000)}{{ 1 + 1 }}`)));
    expect(String(await render(source, 'lib:p')).length).toBe(10_000_001);
    const longer = open(plantTree(libraryWith('x'.repeat(17 * 1024 * 1024))));
    expect(await messageOf(longer.get('lib:p'))).toContain('the file is larger than 16 MB');
  });

  it('receives only declared arguments, as text, and defaults for missing ones', async () => {
    const more = `arguments = [{ name = "a" }, { name = "n" }, { name = "d", default = "usual" }]`;
    const source = open(plantTree(libraryWith('{{ a }}{{ n }}{{ d }}{{ x is defined }}', more)));
    expect(await render(source, 'lib:p', { a: '{{ n }}', n: { k: 1 }, x: 'dropped' })).toBe(
      '{{ n }}{"k":1}usualfalse',
    );
  });

  it('is not rendered if its template kind is none', async () => {
    const source = open(plantTree(libraryWith('{{ not jinja }} {% nor this %}', 'template = "none"')));
    expect(await render(source, 'lib:p')).toBe('{{ not jinja }} {% nor this %}');
  });

  it('may have several messages, images and documents', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex');
    const root = plantTree({
      'lib/twig.toml': `[prompts.talk]
description = "A talk"
tags = ["demo"]
arguments = [{ name = "who" }]
[[prompts.talk.messages]]
text = "Hello {{ who }}"
[[prompts.talk.messages]]
role = "assistant"
file = "answer.md"
[[prompts.talk.messages]]
attachment = "pictures/dot.png"
[[prompts.talk.messages]]
attachment = "guide.md"
`,
      'lib/prompts/answer.md': 'Hi {{ who }}\n',
      'lib/pictures/dot.png': png,
      'lib/guide.md': '# {{ not a template }}',
    });
    const source = open(root);
    expect(await render(source, 'lib:talk', { who: 'Ann' })).toEqual([
      { role: 'user', content: { type: 'text', text: 'Hello Ann' } },
      { role: 'assistant', content: { type: 'text', text: 'Hi Ann' } },
      { role: 'user', content: { type: 'image', data: png.toString('base64'), mimeType: 'image/png' } },
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: {
            uri: `file://${root}/lib/guide.md`,
            mimeType: 'text/markdown',
            text: '# {{ not a template }}',
          },
        },
      },
    ]);
    write(root, {
      'lib/twig.toml': '[prompts.talk]\ndescription = "x"\nmessages = [{ attachment = "../../x" }]\n',
    });
    await source.list();
    expect((await source.problems()).map(({ message }) => message)).toContain(
      'talk: message 1: the path must stay inside the library',
    );
  });
});

describe('a template error', () => {
  it('contains the line, and the file if it is an included one', async () => {
    const root = plantTree({
      ...libraryWith('a\n\n{% include "parts/x.md" %}'),
      'lib/prompts/parts/x.md': 'a\n{{ nope() }}',
    });
    const source = open(root);
    expect(await messageOf(render(source, 'lib:p'))).toBe(
      'Error rendering prompt template at line 2: unknown function: nope is unknown (in parts/x.md)',
    );
    write(root, { 'lib/prompts/parts/x.md': 'a\n\n{{ typo }}' });
    expect(await messageOf(render(source, 'lib:p'))).toBe(
      "Error rendering prompt template at line 3: undefined variable 'typo' (in parts/x.md)",
    );
    write(root, { 'lib/prompts/p.md': '{% if x %}\n' });
    const fresh = open(root);
    expect(await messageOf(render(fresh, 'lib:p'))).toMatch(
      /^Error rendering prompt template at line \d: syntax error/,
    );
  });

  it('is not raised for variables that the template sets, guards or loops over', async () => {
    const body =
      '{% set a = 1 %}{% for x in [1] %}{{ x }}{{ loop.index }}{% endfor %}{{ a }}{{ b | default("c") }}{% if d is defined %}{{ d }}{% endif %}';
    const source = open(plantTree(libraryWith(body.replace('{{ d }}', 'd'))));
    expect(await render(source, 'lib:p')).toBe('111c');
  });

  it('reports a template that includes itself', async () => {
    const source = open(plantTree(libraryWith('x\n{% include "p.md" %}')));
    expect(await messageOf(render(source, 'lib:p'))).toBe(
      'Error rendering prompt template at line 2: p.md includes itself',
    );
  });
});

describe('libraries on disk', () => {
  it('are read again on the next request', async () => {
    const root = plantTree();
    const libraries = join(root, 'later', 'libraries');
    const source = open(libraries);
    expect(await names(source)).toEqual([]);
    write(libraries, libraryWith('first'));
    expect(await names(source)).toEqual(['lib:p']);
    expect(await render(source, 'lib:p')).toBe('first');
    write(libraries, { 'lib/prompts/p.md': 'other' });
    expect(await render(source, 'lib:p')).toBe('other');
    write(libraries, { 'lib/prompts/p.md': '{% include "new.md" %}', 'lib/prompts/new.md': 'one' });
    expect(await render(source, 'lib:p')).toBe('one');
    write(libraries, { 'lib/prompts/new.md': 'two' });
    expect(await render(source, 'lib:p')).toBe('two');
    rmSync(libraries, { recursive: true });
    expect(await names(source)).toEqual([]);
    expect(await source.get('lib:p')).toBeUndefined();
  });

  it('may include templates whose names are computed at run time', async () => {
    const root = plantTree({
      ...libraryWith('{% include "parts/" ~ which ~ ".md" %}', 'arguments = [{ name = "which" }]'),
      'lib/prompts/parts/a.md': 'A',
    });
    const source = open(root);
    expect(await render(source, 'lib:p', { which: 'a' })).toBe('A');
    write(root, { 'lib/prompts/parts/b.md': 'B' });
    expect(await render(source, 'lib:p', { which: 'b' })).toBe('B');
  });

  it('are served in their last good version while a file is being written', async () => {
    const root = plantTree(libraryWith('good {{ "one" }}'));
    const source = open(root);
    expect(await render(source, 'lib:p')).toBe('good one');
    write(root, { 'lib/prompts/p.md': 'half\n{{ "tw' });
    expect(await render(source, 'lib:p')).toBe('good one');
    expect((await source.problems()).map(({ line, message }) => `${line}: ${message}`)).toEqual([
      '2: syntax error: unexpected end of string',
    ]);
    write(root, { 'lib/prompts/p.md': Buffer.from('h\xe9', 'latin1') });
    expect(await render(source, 'lib:p')).toBe('good one');
    write(root, { 'lib/prompts/p.md': '' });
    expect(await render(source, 'lib:p')).toBe('good one');
    write(root, { 'lib/twig.toml': '[prompts.p]\ndescr' });
    expect(await names(source)).toEqual(['lib:p']);
    write(root, { 'lib/twig.toml': '' });
    expect(await names(source)).toEqual(['lib:p']);
    write(root, libraryWith('whole'));
    expect(await render(source, 'lib:p')).toBe('whole');
  });

  it('are returned as the same list object while nothing changes', async () => {
    const root = plantTree(libraryWith('x'));
    const source = open(root);
    const deadline = Date.now() + 150;
    while (Date.now() < deadline) await source.list();
    expect(await source.list()).toBe(await source.list());
  });

  it('may be links and may contain links to their own files', async () => {
    const elsewhere = plantTree({
      'twig.toml': '[prompts.p]\ndescription = "P"\n',
      'prompts/real.md': 'linked',
    });
    symlinkSync('real.md', join(elsewhere, 'prompts/p.md'));
    const root = plantTree();
    symlinkSync(elsewhere, join(root, 'lib'));
    expect(await render(open(root), 'lib:p')).toBe('linked');
  });

  it('are reported as unreadable if the folder is a file', async () => {
    const root = plantTree({ libraries: 'a file' });
    const source = open(join(root, 'libraries'));
    expect(await names(source)).toEqual([]);
    expect((await source.problems())[0]!.message).toContain('could not read the libraries');
  });
});

describe('the name of a library', () => {
  it.each([
    ['MyLib', 'mylib'],
    ['My.Code.Lib', 'my_code_lib'],
    ['_MyLib_', 'mylib'],
    ['123lib', '123lib'],
    ['My-Code Lib', 'my_code_lib'],
    ['a--b', 'a__b'],
    ['Über-Ör', 'über_ör'],
    ['--', ''],
  ])('%s becomes %s', (folder, name) => {
    expect(normalizeLibraryName(folder)).toBe(name);
  });
});
