import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asOrdinaryUser } from '../../../test/ordinary-user.ts';
import { plantTree, write } from '../../../test/tree.ts';
import type { Failure } from '../../failure.ts';
import { renderPrompt } from '../rendering/rendering.ts';
import { CommandSource } from './commands.ts';

const command = (body: string, fields = '') => `---\ndescription: "D"\n${fields}---\n${body}\n`;

async function expand(source: CommandSource, name: string, args: Record<string, string>): Promise<string> {
  const { messages } = await renderPrompt((await source.get(name))!, args, source);
  const { content } = messages[0]!;
  return content.type === 'text' ? content.text : '';
}

async function listProblems(files: Record<string, string | Buffer>): Promise<readonly string[]> {
  const folder = plantTree(files);
  const source = new CommandSource({ folder });
  return (await source.problems()).map(
    ({ file, line, message }) => `${file.slice(folder.length + 1)}:${line} ${message}`,
  );
}

describe('an invalid file', () => {
  it('is reported with its line and does not hide other files', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefghi'.split('').map((key, index) => {
        const before = 'abcdefgh'[index];
        return `${key}: &${key} [${Array(9).fill(`*${before}`).join(',')}]`;
      }),
    ].join('\n');
    const problems = await listProblems({
      'bomb.md': command('x', `${bomb}\n`),
      'cut.md': '---\ndescription: x\n',
      'empty.md': command('  '),
      'latin1.md': Buffer.from('---\n---\ncaf\xe9', 'latin1'),
      'list.md': command('x', 'tags: no list\n'),
      'no.md': 'text',
      'number.md': '---\ndescription: 7\n---\nx',
      'yaml.md': '---\ndescription: [a\n---\nx',
      'zero.md': '',
      'good.md': command('fine'),
    });
    expect(problems.map((problem) => problem.replace(/(bomb|yaml)(\.md:\d) .*/, '$1$2'))).toEqual([
      'bomb.md:2',
      'cut.md:3 missing YAML frontmatter end delimiter',
      'empty.md:4 prompt content is required for "empty"',
      'latin1.md:1 the file is not UTF-8 text',
      'list.md:3 tags must be a list of strings',
      'no.md:1 missing YAML frontmatter start delimiter',
      'number.md:2 description must be text',
      'yaml.md:2',
      'zero.md:1 missing YAML frontmatter start delimiter',
    ]);
  });

  it('may be a link to nowhere or out of the folder, a folder or a second file with the same name', async () => {
    const outside = plantTree({ 'secret.md': command('secret') });
    const folder = plantTree({
      'folder.md/x': '',
      'same.md': command('first'),
      'same.MD': command('second'),
    });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'link.md'));
    symlinkSync('loop.md', join(folder, 'loop.md'));
    symlinkSync('missing.md', join(folder, 'lost.md'));
    const source = new CommandSource({ folder });
    expect((await source.list()).map(({ name }) => name)).toEqual(['same']);
    expect((await source.problems()).map(({ message }) => message)).toEqual([
      'this is a folder, not a prompt file',
      'this link leads to a file that does not exist',
      'the symbolic link points outside the folder',
      'the symbolic link points to itself',
      'the name same is already used by same.MD',
    ]);
    await expect(async () => source.get('link')).rejects.toMatchObject({
      kind: 'content-missing',
    } satisfies Partial<Failure>);
  });

  it('may be a file without read permission', async () => {
    const folder = plantTree({ 'secret.md': command('secret') });
    chmodSync(join(folder, 'secret.md'), 0);
    chmodSync(folder, 0o755);
    const source = new CommandSource({ folder });
    const problems = await asOrdinaryUser(() => source.problems());
    expect(problems[0]!.message).toBe('permission denied: this user cannot read the file');
  });

  it('is served in its last good version while it is being written', async () => {
    const folder = plantTree({ 'x.md': command('good {{input}}') });
    const source = new CommandSource({ folder });
    await source.list();
    write(folder, { 'x.md': '---\ndescr' });
    expect(await expand(source, 'x', { input: 'i' })).toBe('good i');
    expect(await source.problems()).toHaveLength(1);
  });
});

describe('a command', () => {
  it('is found if its extension is in upper case, but not by a name that is a path', async () => {
    const folder = plantTree({
      'in/x.MD': command('upper'),
      'secret.md': command('secret'),
      'in/.hidden.md': command('h'),
    });
    const source = new CommandSource({ folder: join(folder, 'in') });
    expect((await source.get('x'))?.name).toBe('x');
    for (const name of ['../secret', '..\\secret', '/etc/passwd', '.hidden', '', '.', '..', 'x\0'])
      expect(await source.get(name)).toBeUndefined();
  });

  it('may use YAML anchors, CRLF and a byte order mark', async () => {
    const text = '\uFEFF---\r\ndescription: &d Same\r\ntitle: *d\r\n---\r\na\r\n{{input}}\r\n';
    const source = new CommandSource({ folder: plantTree({ 'x.md': text }) });
    expect(await source.get('x')).toMatchObject({ description: 'Same', title: 'Same', line: 5 });
    expect(await expand(source, 'x', { input: '$& {{input}}' })).toBe('a\r\n$& {{input}}');
  });

  it('may declare arguments and be a Jinja template', async () => {
    const fields =
      'template: jinja\narguments:\n  - name: who\n    description:\n    required: true\n    values: [Ann, Bob]\n';
    const source = new CommandSource({
      folder: plantTree({ 'x.md': command('Hi\n{{ who | upper }}{{ typo }}', fields) }),
    });
    await expect(expand(source, 'x', { who: 'Ann' })).rejects.toThrow(
      "Error rendering prompt template at line 11: undefined variable 'typo'",
    );
    await expect(expand(source, 'x', {})).rejects.toThrow('Missing required argument: who');
  });

  it('is plain text with a single placeholder if the source is plain', async () => {
    const fields = 'template: jinja\ntitle: T\n';
    const folder = plantTree({ 'x.md': command('{{ 1 }} {{input}}', fields) });
    const source = new CommandSource({ folder, plain: true });
    expect(await source.get('x')).not.toHaveProperty('title');
    expect(await expand(source, 'x', { input: 'i' })).toBe('{{ 1 }} i');
  });

  it('is served in its current state until its file is removed', async () => {
    const folder = plantTree({ 'x.md': command('one') });
    const source = new CommandSource({ folder });
    expect(await expand(source, 'x', {})).toBe('one\n\n');
    write(folder, { 'x.md': command('two') });
    expect(await expand(source, 'x', {})).toBe('two\n\n');
    rmSync(folder, { recursive: true });
    expect(await source.get('x')).toBeUndefined();
    expect(await source.list()).toEqual([]);
  });
});
