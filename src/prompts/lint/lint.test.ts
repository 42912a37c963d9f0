import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../catalog/catalog.ts';
import { UserSource } from '../jsonl/user-source.ts';
import { MountSource } from '../mounts/mount.ts';
import { CommandSource } from '../sources/commands.ts';
import { TwigSource } from '../sources/twig.ts';
import { createLibraryLint, lintCatalog } from './lint.ts';

describe('lintCatalog', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'adjutant-lint-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const plant = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  const jsonl = (name: string, text: string) =>
    `${JSON.stringify({ name, title: name, messages: [{ role: 'user', content: text }] })}\n`;

  it('checks the prompts of all sources', async () => {
    const write = (path: string, text: string) => plant({ [path]: text });
    write('commands/same.md', '---\ndescription: d\n---\n{{ input }}');
    write('claude/same.md', 'x');
    write('claude/bad.md', Buffer.from([0xff]).toString('latin1'));
    write('libraries/lib/twig.toml', '[prompts.p]\ndescription = "d"\n[prompts.gone]\ndescription = "d"\n');
    write('libraries/lib/prompts/p.md', '{{ nope }}');
    write('prompts/user.jsonl', 'broken\n');
    const catalog = new Catalog([
      new UserSource({ folder: join(folder, 'prompts') }),
      new CommandSource({ folder: join(folder, 'commands') }),
      new TwigSource({ folder: join(folder, 'libraries') }),
      new MountSource({ format: 'claude-code', path: join(folder, 'claude') }),
    ]);
    const problems = await createLibraryLint(catalog)();
    expect(problems.map(({ file, line, message }) => [file.slice(folder.length + 1), line, message])).toEqual(
      [
        [
          'claude/same.md',
          1,
          `the prompt same is hidden by the prompt of the same name in ${join(folder, 'commands/same.md')}`,
        ],
        [
          'commands/same.md',
          4,
          '{{ input }} is not replaced because of the spaces inside the braces; write {{input}}',
        ],
        ['libraries/lib/prompts/gone.md', undefined, 'Prompt content file not found'],
        ['libraries/lib/prompts/p.md', 1, 'undefined variable: nope'],
        ['prompts/user.jsonl', 1, 'the line is not JSON'],
      ],
    );
    expect(problems.map(({ prompts }) => prompts)).toEqual([
      ['same'],
      ['same'],
      ['lib:gone'],
      ['lib:p'],
      undefined,
    ]);
    expect(await lintCatalog(catalog, ['lib:p'])).toHaveLength(1);
    expect(await lintCatalog(catalog, ['same'])).toHaveLength(2);
    catalog.close();
  });

  it('names every prompt that a problem affects, including prompts that share a template', async () => {
    const tree = {
      'commands/kept.md': '---\ndescription: d\n---\nx',
      'mounted/all.jsonl': `${jsonl('a', '{{x}}')}not JSON\n${jsonl('b', 'x')}${jsonl('a', 'x')}`,
      'libraries/Lib/twig.toml': '[prompts.p]\n[prompts.q]\ndescription = "d"\n',
      'libraries/Lib/prompts/p.md': '{% include "part.md" %}',
      'libraries/Lib/prompts/q.md': '{% include "part.md" %}',
      'libraries/Lib/prompts/part.md': '{{ nope }}',
    };
    plant(tree);
    const catalog = new Catalog([
      new CommandSource({ folder: join(folder, 'commands') }),
      new TwigSource({ folder: join(folder, 'libraries') }),
      new MountSource({ format: 'jsonl', path: join(folder, 'mounted'), prefix: 'm' }),
    ]);
    await catalog.list();
    plant({ 'commands/kept.md': 'broken' });
    const problems = await createLibraryLint(catalog)();
    expect(problems.map(({ message, prompts }) => [message, prompts])).toEqual([
      ['missing YAML frontmatter start delimiter', ['kept']],
      ['undefined variable: nope', ['lib:p', 'lib:q']],
      ['p: description is missing', ['lib:p']],
      ['m:a: {{x}} does not match any argument', ['m:a']],
      ['the line is not JSON', undefined],
      ['the prompt a is already defined on line 1', ['m:a']],
    ]);
    expect((await lintCatalog(catalog, ['kept'])).map(({ message }) => message)).toEqual([
      'missing YAML frontmatter start delimiter',
    ]);
    catalog.close();
  });
});
